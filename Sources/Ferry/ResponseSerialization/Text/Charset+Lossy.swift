import Foundation

extension Charset {
    /// Decodes a text, with U+FFFD for every invalid byte.
    static func lossyString(_ data: Data, encoding: String.Encoding) -> String {
        switch encoding {
        case .utf8, .ascii: String(decoding: data, as: UTF8.self)
        case .utf16BigEndian: utf16(data) { UInt16($0) << 8 | UInt16($1) }
        case .utf16LittleEndian, .utf16: utf16(data) { UInt16($1) << 8 | UInt16($0) }
        default: pieceByPiece(data, encoding: encoding)
        }
    }

    private static func utf16(_ data: Data, unit: (UInt8, UInt8) -> UInt16) -> String {
        let bytes = Array(data)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        return String(decoding: units, as: UTF16.self) + (bytes.count % 2 == 0 ? "" : "\u{FFFD}")
    }

    /// Decodes line by line, and an invalid line character by character.
    ///
    /// No encoding that uses 0x0A for line breaks has characters of more than four bytes.
    private static func pieceByPiece(_ data: Data, encoding: String.Encoding) -> String {
        var text = ""
        for line in data.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if !text.isEmpty || line.startIndex > data.startIndex { text += "\n" }
            if let whole = string(line, encoding: encoding) {
                text += whole
                continue
            }
            var rest = line
            while !rest.isEmpty {
                let lengths = 1...min(4, rest.count)
                let found = lengths.lazy.compactMap { length in
                    string(rest.prefix(length), encoding: encoding).map { (length, $0) }
                }.first
                text += found?.1 ?? "\u{FFFD}"
                rest = rest.dropFirst(found?.0 ?? 1)
            }
        }
        return text
    }
}
