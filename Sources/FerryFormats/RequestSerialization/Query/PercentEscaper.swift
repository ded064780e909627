/// A builder of percent-encoded text.
///
/// ASCII letters, digits and `-._~/?` are kept; every other byte becomes `%` and two upper-case hexadecimal digits.
package struct PercentEscaper {
    private var bytes: [UInt8] = []
    private let encoding: String.Encoding
    private let spaces: QueryEncoding.SpaceStyle

    package init(encoding: String.Encoding = .utf8, spaces: QueryEncoding.SpaceStyle = .percent) {
        self.encoding = encoding
        self.spaces = spaces
    }

    /// The text appended so far; always ASCII.
    package var result: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends text without encoding it.
    package mutating func appendRaw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends text, percent-encoded as UTF-8.
    package mutating func append(utf8 text: String) {
        append(text.utf8)
    }

    /// Appends text, percent-encoded in the escaper's encoding; throws if the encoding cannot represent a character.
    package mutating func append(_ text: String) throws {
        guard encoding != .utf8 else { return append(utf8: text) }
        append(try text.data(in: encoding))
    }

    private mutating func append(_ text: some Sequence<UInt8>) {
        for byte in text {
            if Self.isUnescaped(byte) {
                bytes.append(byte)
            } else if byte == UInt8(ascii: " "), spaces == .plus {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes.appendPercentEncoded(byte)
            }
        }
    }

    private static func isUnescaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"),
            UInt8(ascii: "?"):
            true
        default: HeaderRule.isLetterOrDigit(byte)
        }
    }
}

extension String {
    /// Returns the string's bytes in an encoding, and throws rather than replace or drop a character.
    package func data(in encoding: String.Encoding) throws -> Data {
        guard let data = data(using: encoding, allowLossyConversion: false) else {
            let reason = "The text contains characters that its encoding (\(encoding)) cannot represent."
            throw RequestSerializationError(.unencodableText, reason: reason)
        }
        return data
    }
}
