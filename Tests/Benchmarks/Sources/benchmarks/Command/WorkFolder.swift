import BenchmarkSupport
import Foundation

/// The temporary folder of one run.
struct WorkFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "ferry-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Creates a folder in it.
    func makeFolder(_ name: String) throws -> URL {
        let folder = url.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    func remove() {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            FileHandle.standardError.write(Data("benchmarks: \(url.path) could not be removed: \(error)\n".utf8))
        }
    }
}
