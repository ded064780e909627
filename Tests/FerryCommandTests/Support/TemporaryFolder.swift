import Foundation

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-tests-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    func data(_ name: String) -> Data? {
        FileManager.default.contents(atPath: path(name))
    }

    func text(_ name: String) -> String? {
        data(name).map { String(decoding: $0, as: UTF8.self) }
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    /// Waits until a file has at least that many bytes, and returns whether it did in time.
    func waitForSize(_ name: String, atLeast size: Int) async throws -> Bool {
        for _ in 0..<1000 {
            if let count = data(name)?.count, count >= size { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
