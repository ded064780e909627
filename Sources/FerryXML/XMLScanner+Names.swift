import Ferry

extension XMLScanner {
    /// Scans a name (XML 1.0, production 5) and returns it.
    ///
    /// Names are byte arrays, since string comparison would treat the precomposed and the decomposed é as equal, which
    /// XML does not.
    mutating func scanName() throws(XMLParsingError) -> [UInt8] {
        let start = position
        while let (scalar, length) = scalar(), Self.isName(scalar, isFirst: position == start) { position += length }
        guard position > start else { throw failure("Expected a name") }
        guard position - start <= Self.maximumNameSize else {
            throw failure("A name of more than \(Self.maximumNameSize) bytes")
        }
        return Array(bytes[start..<position])
    }

    /// Returns the character at the position and its length in bytes; the text was checked to be UTF-8.
    private func scalar() -> (UInt32, Int)? {
        guard let first = next else { return nil }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard length > 1 else { return (UInt32(first), 1) }
        guard position + length <= bytes.count else { return nil }
        let start = UInt32(first) & (0x7F >> UInt32(length))
        return (bytes[position + 1..<position + length].reduce(start) { $0 << 6 | UInt32($1 & 0x3F) }, length)
    }

    private static func isName(_ scalar: UInt32, isFirst: Bool) -> Bool {
        switch scalar {
        case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D,
            0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF,
            0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        case 0x30...0x39, 0x2D, 0x2E, 0xB7, 0x300...0x36F, 0x203F...0x2040:
            !isFirst
        default:
            false
        }
    }

    /// Scans a reference, `&name;` or `&#number;`.
    mutating func scanReference() throws(XMLParsingError) {
        let start = position
        try expect("&")
        if take("#") {
            let radix = take("x") ? 16 : 10
            let digits = try skip(past: ";", in: "a reference")
            guard !text(digits).hasPrefix("+"), let number = UInt32(text(digits), radix: radix),
                Self.isCharacter(number)
            else {
                position = start
                throw failure("A reference to an invalid character")
            }
        } else {
            let name = try scanName()
            try expect(";")
            guard let size = entities[name] else {
                position = start
                throw failure("The entity \(String(decoding: name, as: UTF8.self)) is not declared")
            }
            expansionLeft -= size
            guard expansionLeft >= 0 else {
                position = start
                throw failure("The entities expand to more than \(Self.maximumExpansion(of: bytes.count)) bytes")
            }
        }
    }

    private static func isCharacter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
