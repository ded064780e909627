extension JSONValue {
    /// Options that accept more texts than arrays and objects.
    public struct ReadingOptions: OptionSet, Sendable, Hashable, Codable {
        /// The options as bits.
        public let rawValue: Int

        /// Creates options from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Accepts a text that is only a string, a number, a Boolean value or `null`.
        ///
        /// AFNetworking: `NSJSONReadingFragmentsAllowed`.
        public static let fragmentsAllowed = ReadingOptions(rawValue: 1)
    }

    /// Creates a value from JSON text (RFC 8259), which is parsed strictly.
    ///
    /// The text is UTF-8, with or without a byte order mark; UTF-16 and UTF-32 are recognized. Of members with the same
    /// name, the last one is kept. More than 512 levels are an error, and so are members whose names differ only in
    /// Unicode normalization, since they would be equal as strings.
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - options: The accepted texts; by default any kind of value at the top level.
    /// - Throws: ``JSONParsingError`` with the reason and the position.
    public init(json: Data, options: ReadingOptions = .fragmentsAllowed) throws(JSONParsingError) {
        self = try JSONParser.read(JSONParser.utf8(json), options, keepsValues: true).value
    }

    /// Creates a value from JSON text in a string; see ``init(json:options:)-(Data,_)``.
    public init(json: String, options: ReadingOptions = .fragmentsAllowed) throws(JSONParsingError) {
        try self.init(json: Data(json.utf8), options: options)
    }

    /// Options for the format of the text.
    public struct WritingOptions: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: Int

        /// Creates options from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Writes one member or element per line, indented by two spaces per level.
        public static let prettyPrinted = WritingOptions(rawValue: 1)
        /// Sorts members by their names; otherwise their order is unspecified.
        public static let sortedKeys = WritingOptions(rawValue: 2)
        /// Writes slashes as `\/`, for JSON inside HTML.
        public static let escapedSlashes = WritingOptions(rawValue: 4)
    }

    /// Returns the value as JSON text in UTF-8, by default on one line with sorted members.
    public func jsonData(_ options: WritingOptions = .sortedKeys) -> Data { Data(JSONWriter.bytes(of: self, options)) }

    /// Returns the value as JSON text, by default on one line with sorted members.
    public func jsonString(_ options: WritingOptions = .sortedKeys) -> String {
        String(decoding: JSONWriter.bytes(of: self, options), as: UTF8.self)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON on one line, with sorted members.
    public var description: String { jsonString() }
}

/// Writes JSON into a buffer.
private struct JSONWriter {
    private let options: JSONValue.WritingOptions
    private var bytes: [UInt8] = []

    package static func bytes(of value: JSONValue, _ options: JSONValue.WritingOptions) -> [UInt8] {
        var writer = JSONWriter(options: options)
        writer.write(value, indent: 0)
        return writer.bytes
    }

    private mutating func write(_ value: JSONValue, indent: Int) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): bytes.append(contentsOf: value.description.utf8)
        case .string(let value): write(value)
        case .array(let elements):
            write("[", elements, "]", indent: indent) { writer, element in writer.write(element, indent: indent + 1) }
        case .object(let members):
            let ordered = options.contains(.sortedKeys) ? members.sorted { $0.key < $1.key } : Array(members)
            write("{", ordered, "}", indent: indent) { writer, member in
                writer.write(member.key)
                writer.bytes.append(contentsOf: (writer.options.contains(.prettyPrinted) ? ": " : ":").utf8)
                writer.write(member.value, indent: indent + 1)
            }
        }
    }

    /// Writes a list between brackets, each element of it with a closure.
    private mutating func write<Element>(
        _ start: Unicode.Scalar,
        _ elements: [Element],
        _ end: Unicode.Scalar,
        indent: Int,
        _ writeElement: (inout JSONWriter, Element) -> Void
    ) {
        bytes.append(UInt8(ascii: start))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(indent + 1)
            writeElement(&self, element)
        }
        if !elements.isEmpty { breakLine(indent) }
        bytes.append(UInt8(ascii: end))
    }

    private mutating func breakLine(_ indent: Int) {
        guard options.contains(.prettyPrinted) else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * indent))
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
            case UInt8(ascii: "/") where options.contains(.escapedSlashes): bytes.append(contentsOf: #"\/"#.utf8)
            case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case 0..<0x20:
                bytes.append(contentsOf: (#"\u00"# + byte.hexadecimal).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
