import Foundation
import Testing

/// Functions for child processes, which report their result on standard output, since an exit status has no text.
package enum Child {
    private static let good = "verdict: good"

    package static func run(_ body: () async throws -> Void) async {
        do {
            try await body()
            print(good)
        } catch {
            print("verdict: \(error)")
        }
    }

    /// Runs a body while the process can open no further descriptor.
    package static func withoutDescriptors<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
        var limit = rlimit()
        getrlimit(resource, &limit)
        let before = limit
        limit.rlim_cur = 0
        setrlimit(resource, &limit)
        defer { _ = withUnsafePointer(to: before) { setrlimit(resource, $0) } }
        return try await body()
    }

    package static func expect(_ condition: Bool, _ text: @autoclosure () -> String, line: Int = #line) throws {
        if !condition { throw NeverHappened(description: "line \(line): \(text())") }
    }

    /// Checks what a child has reported.
    package static func check(_ output: [UInt8]?, at location: SourceLocation = #_sourceLocation) {
        let text = String(decoding: output ?? [], as: UTF8.self)
        #expect(text.contains(good), "\(text.suffix(500))", sourceLocation: location)
    }
}
