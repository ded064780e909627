extension Charset {
    /// Decodes a text; nil if it has bytes that are invalid in the encoding.
    package static func string(_ data: Data, encoding: String.Encoding) -> String? {
        encoding == .japaneseEUC ? japaneseEUC(data) : String(data: data, encoding: encoding)
    }

    /// Decodes EUC-JP, which Foundation on Linux has a name for but cannot decode.
    ///
    /// ISO 2022-JP-2, which it can decode, uses the same numbers for the same characters, but selects the character set
    /// with an escape sequence and does not set the high bit.
    private static func japaneseEUC(_ data: Data) -> String? {
        var text = ""
        var rest = data[...]
        while let first = rest.first {
            let run: Data
            let piece: String?
            switch first {
            case 0..<0x80:
                run = rest.prefix { $0 < 0x80 }
                piece = String(data: run, encoding: .ascii)
            case 0x8E:
                run = rest.prefix(2)
                piece = run.count == 2 ? halfWidthKatakana(run[run.startIndex + 1]) : nil
            case 0x8F:
                run = rest.prefix(3)
                piece = run.count == 3 ? iso2022(run.dropFirst(), escape: "\u{1B}$(D") : nil
            default:
                let pairs = rest.prefix { $0 >= 0xA1 }
                run = pairs.prefix(pairs.count & ~1)
                piece = iso2022(run, escape: "\u{1B}$B")
            }
            guard let piece, !run.isEmpty else { return nil }
            text += piece
            rest = rest.dropFirst(run.count)
        }
        return text
    }

    private static func iso2022(_ pairs: Data, escape: String) -> String? {
        guard pairs.count.isMultiple(of: 2), pairs.allSatisfy({ $0 >= 0xA1 }) else { return nil }
        let bytes = Data(escape.utf8) + pairs.map { $0 & 0x7F } + Data("\u{1B}(B".utf8)
        return String(data: bytes, encoding: String.Encoding(rawValue: 0x8000_0821))
    }

    private static func halfWidthKatakana(_ byte: UInt8) -> String? {
        guard (0xA1...0xDF).contains(byte) else { return nil }
        return Unicode.Scalar(0xFF61 + UInt32(byte) - 0xA1).map { String($0) }
    }

    /// Decodes a text, with U+FFFD for every invalid byte.
    package static func lossyString(_ data: Data, encoding: String.Encoding) -> String {
        switch encoding {
        case .utf8, .ascii: String(decoding: data, as: UTF8.self)
        // Without a mark it is big-endian (RFC 2781, section 4.3), as in `string(_:encoding:)`.
        case .utf16BigEndian, .utf16: utf16(data) { UInt16($0) << 8 | UInt16($1) }
        case .utf16LittleEndian: utf16(data) { UInt16($1) << 8 | UInt16($0) }
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
