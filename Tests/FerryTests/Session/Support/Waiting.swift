import Ferry
import Foundation
import Testing

/// A value tests write from many threads and wait for.
final class Watched<Value: Sendable>: Sendable {
    private let value: Locked<Value>

    init(_ value: Value) {
        self.value = Locked(value)
    }

    var current: Value { value.withLock { $0 } }

    @discardableResult
    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }

    /// Waits until the value satisfies a condition, or gives up.
    @discardableResult
    func wait(seconds: Double = 40, until condition: @Sendable (Value) -> Bool) async -> Bool {
        await eventually(seconds: seconds) { self.value.withLock { condition($0) } }
    }
}

/// Waits until something is true, or gives up.
func eventually(seconds: Double = 40, _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}

/// A fresh directory, removed with its owner.
final class ScratchDirectory {
    let url: URL

    init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        url = parent.appendingPathComponent("ferry-tests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String, _ contents: String? = nil) throws -> URL {
        let file = url.appendingPathComponent(name)
        if let contents { try Data(contents.utf8).write(to: file) }
        return file
    }

    func file(_ name: String, _ contents: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try contents.write(to: file)
        return file
    }

    var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}

func text(_ url: URL) -> String? {
    try? String(contentsOf: url, encoding: .utf8)
}
