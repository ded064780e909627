import Foundation

/// A separate folder for a test, which is removed with the last reference to the object.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        url = parent.appendingPathComponent("ferry-tests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The names of the folder's contents, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// Returns the path of a file in the folder.
    package func path(_ name: String) -> String {
        file(name).path
    }

    /// Returns the URL of a file in the folder.
    package func file(_ name: String) -> URL {
        url.appendingPathComponent(name)
    }

    /// Writes a file in the folder and returns its URL.
    @discardableResult
    package func file(_ name: String, _ contents: Data) throws -> URL {
        let file = file(name)
        try contents.write(to: file)
        return file
    }

    /// Writes a file in the folder and returns its URL.
    @discardableResult
    package func file(_ name: String, _ contents: String) throws -> URL {
        try file(name, Data(contents.utf8))
    }

    /// Returns the contents of a file, or `nil` if it does not exist.
    package func data(_ name: String) -> Data? {
        FileManager.default.contents(atPath: path(name))
    }

    /// Returns the text of a file, or `nil` if it does not exist.
    package func text(_ name: String) -> String? {
        data(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Waits until a file has at least that many bytes.
    package func waitForSize(of name: String, atLeast size: Int) async throws {
        try await eventually("\(size) bytes of \(name)") { data(name)?.count ?? 0 >= size }
    }
}
