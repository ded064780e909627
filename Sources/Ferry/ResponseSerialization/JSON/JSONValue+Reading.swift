import Foundation

extension JSONValue {
    /// Options for what is accepted besides an array or an object.
    public struct ReadingOptions: OptionSet, Sendable, Hashable, Codable {
        /// The options as bits.
        public let rawValue: Int

        /// Creates options from bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Accepts a text that is only a string, a number, a Boolean value or `null`.
        ///
        /// AFNetworking: `NSJSONReadingFragmentsAllowed`.
        public static let fragmentsAllowed = ReadingOptions(rawValue: 1)
    }

    /// Creates a value from JSON text (RFC 8259), which is parsed strictly.
    ///
    /// The text is UTF-8, with or without a byte order mark; UTF-16 and UTF-32 are recognized. Of members with the same
    /// name, the last one is kept. More than 512 levels are an error.
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - options: What is accepted; by default any kind of value at the top level.
    /// - Throws: ``JSONParsingError`` with the reason and the position.
    public init(json: Data, options: ReadingOptions = .fragmentsAllowed) throws(JSONParsingError) {
        let utf8 = JSONText.utf8(json)
        let result = utf8.withUnsafeBytes { bytes in
            Result { () throws(JSONParsingError) in
                var parser = JSONParser(bytes.bindMemory(to: UInt8.self))
                return try parser.parse(options)
            }
        }
        self = try result.get()
    }

    /// Creates a value from JSON text (RFC 8259), which is parsed strictly.
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - options: What is accepted; by default any kind of value at the top level.
    /// - Throws: ``JSONParsingError`` with the reason and the position.
    public init(json: String, options: ReadingOptions = .fragmentsAllowed) throws(JSONParsingError) {
        try self.init(json: Data(json.utf8), options: options)
    }
}

/// The character encodings of JSON text.
private enum JSONText {
    /// Returns the text in UTF-8 without a byte order mark; the same bytes if they are that already.
    static func utf8(_ data: Data) -> Data {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return data.dropFirst(3) }
        guard let encoding = encoding(Array(data.prefix(4))), let text = String(data: data, encoding: encoding) else {
            return data
        }
        // A byte order mark may have become a character.
        return Data((text.first == "\u{FEFF}" ? text.dropFirst() : Substring(text)).utf8)
    }

    /// Returns UTF-16 or UTF-32, detected by a byte order mark or by the position of zeros (RFC 4627, section 3).
    private static func encoding(_ start: [UInt8]) -> String.Encoding? {
        guard start.count >= 2, start.contains(where: { $0 == 0 || $0 >= 0xFE }) else { return nil }
        if start == [0, 0, 0xFE, 0xFF] { return .utf32BigEndian }
        if start == [0xFF, 0xFE, 0, 0] { return .utf32LittleEndian }
        if start.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        if start.starts(with: [0xFF, 0xFE]) { return .utf16LittleEndian }
        let zeros = start.map { $0 == 0 }
        if zeros == [true, true, true, false] { return .utf32BigEndian }
        if zeros == [false, true, true, true] { return .utf32LittleEndian }
        if zeros.starts(with: [true, false]) { return .utf16BigEndian }
        if zeros.starts(with: [false, true]) { return .utf16LittleEndian }
        return nil
    }
}
