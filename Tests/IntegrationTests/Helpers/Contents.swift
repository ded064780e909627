import Ferry
import FerryTesting

/// Reads and compares files by mapping them into memory.
enum Contents {
    static func of(_ url: URL) throws -> Data {
        try Data(contentsOf: url, options: .alwaysMapped)
    }

    /// Returns whether both have the same bytes.
    ///
    /// A failed `==` in an expectation would search for the difference for minutes.
    static func match(_ data: Data?, _ other: Data) -> Bool {
        data == other
    }

    /// Returns whether the bytes equal those of the file.
    static func match(_ data: Data?, _ file: URL) throws -> Bool {
        data == (try of(file))
    }

    static func sha256(of url: URL) throws -> String {
        SHA256Hash.hash(try of(url)).hexadecimal
    }
}
