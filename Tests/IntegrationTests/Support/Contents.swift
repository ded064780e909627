import Ferry
import FerryTesting

/// Looks at the bytes of files without reading them into memory.
enum Contents {
    static func of(_ url: URL) throws -> Data {
        try Data(contentsOf: url, options: .alwaysMapped)
    }

    static func sha256(of url: URL) throws -> String {
        SHA256.hexDigest(of: try of(url))
    }
}
