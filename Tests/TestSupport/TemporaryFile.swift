import Foundation

/// A file in the temporary folder, which is deleted with the value.
package final class TemporaryFile: Sendable {
    package let url: URL

    package init(_ data: Data = Data()) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-test-\(UUID().uuidString)")
        try data.write(to: url)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
