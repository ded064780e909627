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
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - isJSON5: Whether the decoder reads JSON5. Its names need no quotes and its comments may contain some, so the
    ///     result is false for combining marks anywhere in the text.
    /// - Returns: False if the time for hashing a name may be quadratic.
    static func areQuicklyHashed(in json: Data, isJSON5: Bool) -> Bool {
        // As written, a run of marks is longer than a small name.
        guard json.count > smallSize else { return true }
        let text = JSONParser.utf8(json)
        return text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
            // The compiler makes this loop compare many bytes at a time.
            var all: UInt8 = 0
            for byte in bytes { all |= byte }
            let hasBackslash = bytes.baseAddress.map { memchr($0, 0x5C, bytes.count) != nil } ?? false
            guard all >= 0x80 || hasBackslash else { return true }
            return isJSON5 ? hasFewMarks(bytes) : areQuicklyHashed(in: bytes)
        }
    }

    /// Throws the error for a text whose names cannot safely be used by a decoder.
    static func check(_ json: Data, for decoder: JSONDecoder) throws {
        let isJSON5 = decoder.allowsJSON5
        guard !areQuicklyHashed(in: json, isJSON5: isJSON5) else { return }
        let place = isJSON5 ? "JSON5" : "A name"
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription: "\(place) with more than \(String.maximumMarks) combining marks in a row"
            )
        )
    }

    private static func areQuicklyHashed(in bytes: UnsafeRawBufferPointer) -> Bool {
        let (quote, backslash, colon) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: ":"))
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

    /// Returns a Boolean value that indicates whether no more marks than the limit follow each other anywhere in JSON5.
    ///
    /// A mark may be written as `\u0301`, and a backslash before a line break continues a string.
    private static func hasFewMarks(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var marks = 0
        var rest = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
        while var scalar = rest.popFirst() {
            if scalar == "\\" {
                guard let next = rest.popFirst() else { return true }
                if ["\n", "\r", "\u{2028}", "\u{2029}"].contains(next) {
                    if next == "\r", rest.first == "\n" { _ = rest.popFirst() }
                    continue
                }
                scalar = next == "u" ? popEscape(&rest) : next
            }
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > String.maximumMarks { return false }
        }
        return true
    }

    /// Removes the digits after `\u`, and a second escape that is the other half of a surrogate pair, and returns the
    /// character; U+FFFD if they are not valid.
    private static func popEscape(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar {
        guard let first = popUnit(&rest) else { return "\u{FFFD}" }
        guard UTF16.isLeadSurrogate(first), rest.starts(with: "\\u".unicodeScalars) else {
            return Unicode.Scalar(first) ?? "\u{FFFD}"
        }
        rest = rest.dropFirst(2)
        guard let second = popUnit(&rest) else { return "\u{FFFD}" }
        guard UTF16.isTrailSurrogate(second) else { return Unicode.Scalar(second) ?? "\u{FFFD}" }
        return Unicode.Scalar(0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))) ?? "\u{FFFD}"
    }

    private static func popUnit(_ rest: inout Substring.UnicodeScalarView) -> UInt16? {
        var unit: UInt16 = 0
        let digits = rest.prefix(4)
        for scalar in digits {
            guard scalar.isASCII, let digit = Character(scalar).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        guard digits.count == 4 else { return nil }
        rest = rest.dropFirst(4)
        return unit
    }
}
