import FerrySession
import Testing

/// What runs in a process of its own says how it went on its standard output: an exit status tells no reason.
enum Child {
    private static let good = "verdict: good"

    static func run(_ body: () async throws -> Void) async {
        do {
            try await body()
            print(good)
        } catch {
            print("verdict: \(error)")
        }
    }

    static func expect(_ condition: Bool, _ text: @autoclosure () -> String, line: Int = #line) throws {
        if !condition { throw NeverHappened(description: "line \(line): \(text())") }
    }

    /// Judges what a child has said.
    static func check(_ output: [UInt8]?, at location: SourceLocation = #_sourceLocation) {
        let text = String(decoding: output ?? [], as: UTF8.self)
        #expect(text.contains(good), "\(text.suffix(500))", sourceLocation: location)
    }
}
