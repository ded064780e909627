import Foundation

/// A parser for one JSON text in memory; every access is guarded by ``peek()`` or by a check of the length.
struct JSONParser {
    /// The same limit as in Foundation; the parser recurses once per level.
    static let maximumDepth = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Parses the whole text.
    mutating func parse(_ options: JSONValue.ReadingOptions) throws(JSONParsingError) -> JSONValue {
        skipWhitespace()
        let start = position
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard position == bytes.count else { throw failure("Unexpected text after the value") }
        switch value {
        case .array, .object: return value
        default:
            guard options.contains(.fragmentsAllowed) else {
                position = start
                throw failure("The text is neither an array nor an object")
            }
            return value
        }
    }

    private mutating func parseValue(depth: Int) throws(JSONParsingError) -> JSONValue {
        guard let byte = peek() else { throw failure("The text ends where a value is expected") }
        switch byte {
        case UInt8(ascii: "{"): return try parseObject(depth: depth)
        case UInt8(ascii: "["): return try parseArray(depth: depth)
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
        case UInt8(ascii: "n"): return try parseWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
        default: throw failure("Not the beginning of a value")
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONParsingError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw failure("More than \(Self.maximumDepth) levels") }
        position += 1
        var members: [String: JSONValue] = [:]
        skipWhitespace()
        if take("}") { return .object(members) }
        while true {
            guard peek() == UInt8(ascii: "\"") else { throw failure("A member's name is expected") }
            let start = position
            let name = try parseString()
            guard name.isQuicklyHashed else {
                position = start
                throw failure("A member's name with more than \(String.maximumMarks) combining marks in a row")
            }
            skipWhitespace()
            guard take(":") else { throw failure("A colon is expected") }
            skipWhitespace()
            members[name] = try parseValue(depth: depth + 1)
            skipWhitespace()
            if take("}") { return .object(members) }
            guard take(",") else { throw failure("A comma or the end of the object is expected") }
            skipWhitespace()
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONParsingError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw failure("More than \(Self.maximumDepth) levels") }
        position += 1
        var elements: [JSONValue] = []
        skipWhitespace()
        if take("]") { return .array(elements) }
        while true {
            elements.append(try parseValue(depth: depth + 1))
            skipWhitespace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw failure("A comma or the end of the array is expected") }
            skipWhitespace()
        }
    }

    private mutating func parseWord(_ word: StaticString, _ value: JSONValue) throws(JSONParsingError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { throw failure("The text ends inside a word") }
        for offset in 0..<word.utf8CodeUnitCount where bytes[position + offset] != word.utf8Start[offset] {
            throw failure("Neither true, false nor null")
        }
        position = end
        return value
    }

    private mutating func parseNumber() throws(JSONParsingError) -> JSONNumber {
        guard let parts = JSONNumber.Parts(UnsafeBufferPointer(rebasing: bytes[position...])) else {
            throw failure("Not a number")
        }
        let text = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[position..<position + parts.length])
        guard let number = JSONNumber(parts, text: text) else { throw failure("A number out of range") }
        position += parts.length
        if let next = peek(), next &- UInt8(ascii: "0") < 10 {
            throw failure("A number with a leading zero")
        }
        return number
    }

    private mutating func skipWhitespace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private func failure(_ reason: String) -> JSONParsingError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let column = position - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return JSONParsingError(reason: reason, offset: position, line: line, column: column)
    }
}

extension JSONParser {
    private mutating func parseString() throws(JSONParsingError) -> String {
        position += 1
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if peek() == UInt8(ascii: "\"") {
            // Without escapes, the bytes are the text.
            let text = String(validating: bytes[start..<position], as: UTF8.self)
            guard let text else { throw failure("A string that is not UTF-8") }
            position += 1
            return text
        }
        var buffer = Array(bytes[start..<position])
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: buffer, as: UTF8.self) else {
                    throw failure("A string that is not UTF-8")
                }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                try parseEscape(into: &buffer)
            case 0..<0x20:
                throw failure("A control character inside a string")
            default:
                buffer.append(byte)
                position += 1
            }
        }
        throw failure("The text ends inside a string")
    }

    private mutating func parseEscape(into buffer: inout [UInt8]) throws(JSONParsingError) {
        guard let escape = peek() else { throw failure("The text ends inside a string") }
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(escape)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"): buffer.append(contentsOf: try parseScalar().utf8)
        default:
            position -= 1
            throw failure("An unknown escape")
        }
    }

    private mutating func parseScalar() throws(JSONParsingError) -> String {
        let first = try parseHexadecimal()
        var units = [first]
        if UTF16.isLeadSurrogate(first) {
            guard take("\\"), take("u") else { throw failure("An unpaired surrogate") }
            units.append(try parseHexadecimal())
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw failure("An unpaired surrogate") }
        return text
    }

    private mutating func parseHexadecimal() throws(JSONParsingError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("Not four hexadecimal digits")
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
