import Foundation

/// A folder of a test's own, which goes with its last owner.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        url = parent.appendingPathComponent("ferry-tests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The names of what is in it, in order.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// The URL of a file in it.
    package func file(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    /// The URL of a file in it that is written now.
    package func file(_ name: String, _ contents: Data) throws -> URL {
        let file = file(name)
        try contents.write(to: file)
        return file
    }

    /// The URL of a file in it that is written now.
    package func file(_ name: String, _ contents: String) throws -> URL {
        try file(name, Data(contents.utf8))
    }

    /// A file's bytes, if it is there.
    package func data(_ name: String) -> Data? {
        FileManager.default.contents(atPath: file(name).path)
    }
}
