import Ferry
import FerryTesting

/// Looks at the bytes of files without reading them into memory.
enum Contents {
    static func of(_ url: URL) throws -> Data {
        try Data(contentsOf: url, options: .alwaysMapped)
    }

    /// Whether both have the same bytes; a failed `==` in an expectation would look for the difference for minutes.
    static func match(_ data: Data?, _ other: Data) -> Bool {
        data == other
    }

    /// Whether the bytes are those of the file.
    static func match(_ data: Data?, _ file: URL) throws -> Bool {
        data == (try of(file))
    }

    static func sha256(of url: URL) throws -> String {
        SHA256.hexDigest(of: try of(url))
    }
}
