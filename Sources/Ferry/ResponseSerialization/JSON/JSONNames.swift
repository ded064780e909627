import Foundation

/// A check of the names in a JSON text, made before Foundation puts them into a dictionary.
///
/// `JSONDecoder` hashes all names, also those that a type does not have; see ``Swift/String/isQuicklyHashed``.
enum JSONNames {
    /// The largest size of a name that needs no check, in bytes as written.
    static let smallSize = 256

    /// Returns a Boolean value that indicates whether all names can safely be used as dictionary keys.
    ///
    /// The decoder finds all other errors of the text.
    static func areQuicklyHashed(in json: Data) -> Bool {
        // As written, a run of marks is longer than a small name.
        guard json.count > smallSize else { return true }
        return JSONParser.utf8(json).withUnsafeBytes { areQuicklyHashed(in: $0) }
    }

    /// The error for a text whose names are refused.
    static let refusal = DecodingError.dataCorrupted(
        DecodingError.Context(
            codingPath: [],
            debugDescription: "A name with more than \(String.maximumMarks) combining marks in a row"
        )
    )

    private static func areQuicklyHashed(in bytes: UnsafeRawBufferPointer) -> Bool {
        let (quote, backslash, colon) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: ":"))
        guard bytes.contains(where: { $0 >= 0x80 || $0 == backslash }) else { return true }
        var index = 0
        while let start = bytes[index...].firstIndex(of: quote) {
            var end = start + 1
            var isPlain = true
            while end < bytes.count, bytes[end] != quote {
                if bytes[end] == backslash { end += 1 }
                isPlain = isPlain && end < bytes.count && bytes[end] < 0x80 && bytes[end - 1] != backslash
                end += 1
            }
            guard end < bytes.count else { return true }
            index = end + 1
            guard !isPlain, end - start > smallSize,
                bytes[index...].first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == colon,
                let name = try? JSONValue(json: Data(bytes[start...end])).string
            else { continue }
            if !name.isQuicklyHashed { return false }
        }
        return true
    }
}
