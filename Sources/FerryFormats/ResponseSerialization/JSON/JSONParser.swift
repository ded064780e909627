/// A parser for one JSON text in memory; every access is guarded by ``peek()`` or by a check of the length.
///
/// It takes 34 ms for an API's body of 1 MB and 11 µs for one of 250 bytes; `JSONSerialization` and a conversion take
/// 250 ms and 58 µs, `JSONDecoder` 330 ms and 81 µs (Swift 6.3 on Linux, optimized). It also keeps all digits of large
/// numbers, tells Boolean values from numbers, and recognizes UTF-16 and UTF-32. ``JSONValue/jsonData(_:)`` takes 20 ms
/// for 1 MB, where `JSONEncoder` takes 130 ms.
package struct JSONParser {
    /// The same limit as in Foundation; the parser recurses once per level.
    package static let maximumDepth = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    /// Whether objects and arrays are made; otherwise the text is only checked.
    private let keepsValues: Bool
    private var position = 0
    /// The hashes of the names in the objects that are open, if the text is only checked.
    private var nameHashes: [UInt64] = []

    /// Whether an object has several members with one name; if the text is only checked, whether that is possible.
    package private(set) var hasDuplicates = false
    /// The places of exponents of zero, as in `0e1`.
    package private(set) var zeroExponents: [Range<Int>] = []

    package init(_ bytes: UnsafeBufferPointer<UInt8>, keepsValues: Bool = true) {
        self.bytes = bytes
        self.keepsValues = keepsValues
    }

    package mutating func parse(_ options: JSONValue.ReadingOptions) throws(JSONParsingError) -> JSONValue {
        skipWhitespace()
        let start = position
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard position == bytes.count else { throw failure("Unexpected text after the value") }
        guard options.contains(.fragmentsAllowed) || value.array != nil || value.object != nil else {
            position = start
            throw failure("The text is neither an array nor an object")
        }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONParsingError) -> JSONValue {
        guard let byte = peek() else { throw failure("The text ends where a value is expected") }
        switch byte {
        case UInt8(ascii: "{"): return try parseObject(depth: depth)
        case UInt8(ascii: "["): return try parseArray(depth: depth)
        case UInt8(ascii: "\""):
            if !keepsValues, skipPlainString() != nil { return .null }
            return .string(try parseString())
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
        var isPlain = true
        let firstHash = nameHashes.count
        skipWhitespace()
        if take("}") { return .object(members) }
        while true {
            let start = position
            var name = ""
            if keepsValues {
                (name, isPlain) = try parseName(isPlain)
                guard isPlain || !members.hasOtherSpelling(of: name) else {
                    position = start
                    throw failure("A member's name that differs from another one only in Unicode normalization")
                }
            } else {
                try checkName()
            }
            skipWhitespace()
            guard take(":") else { throw failure("A colon is expected") }
            skipWhitespace()
            let value = try parseValue(depth: depth + 1)
            if keepsValues, members.updateValue(value, forKey: name) != nil { hasDuplicates = true }
            skipWhitespace()
            if take("}") {
                findDuplicates(from: firstHash)
                return .object(members)
            }
            guard take(",") else { throw failure("A comma or the end of the object is expected") }
            skipWhitespace()
        }
    }

    /// Parses a name, and returns whether all names of the object up to it are plain: such names are equal only as
    /// bytes.
    private mutating func parseName(_ isPlain: Bool) throws(JSONParsingError) -> (String, isPlain: Bool) {
        guard peek() == UInt8(ascii: "\"") else { throw failure("A member's name is expected") }
        if let text = skipPlainString() { return (String(decoding: text, as: UTF8.self), isPlain) }
        let start = position
        let name = try parseString()
        guard name.isQuicklyHashed else {
            position = start
            throw failure("A member's name with more than \(String.maximumMarks) combining marks in a row")
        }
        return (name, false)
    }

    /// Skips a name, and notes its hash to find duplicates.
    private mutating func checkName() throws(JSONParsingError) {
        if peek() == UInt8(ascii: "\""), let text = skipPlainString() {
            // FNV-1a is faster than `Hasher`. Names that collide only cause the text to be parsed with its values.
            return nameHashes.append(text.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        }
        _ = try parseName(false)
        // A name in another spelling may be equal.
        hasDuplicates = true
    }

    /// Removes the hashes of an object, and looks for equal ones.
    private mutating func findDuplicates(from start: Int) {
        guard start < nameHashes.count else { return }
        let hasEqualOnes = nameHashes.withUnsafeMutableBufferPointer { hashes in
            var hashes = UnsafeMutableBufferPointer(rebasing: hashes[start...])
            hashes.sort()
            return zip(hashes, hashes.dropFirst()).contains { $0 == $1 }
        }
        hasDuplicates = hasDuplicates || hasEqualOnes
        nameHashes.removeLast(nameHashes.count - start)
    }

    private mutating func parseArray(depth: Int) throws(JSONParsingError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw failure("More than \(Self.maximumDepth) levels") }
        position += 1
        var elements: [JSONValue] = []
        skipWhitespace()
        if take("]") { return .array(elements) }
        while true {
            let element = try parseValue(depth: depth + 1)
            if keepsValues { elements.append(element) }
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
        let end = position + parts.length
        let text = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[position..<end])
        // A number with so few digits is in range.
        let isOnlyChecked = !keepsValues && parts.digits + parts.exponent <= 300
        guard let number = isOnlyChecked ? JSONNumber(0) : JSONNumber(parts, text: text) else {
            throw failure("A number out of range")
        }
        if parts.digits == 0, let exponent = bytes[position..<end].firstIndex(where: { $0 | 0x20 == 0x65 }) {
            zeroExponents.append(exponent..<end)
        }
        position = end
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

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func failure(_ reason: String) -> JSONParsingError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let column = position - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return JSONParsingError(reason: reason, offset: position, line: line, column: column)
    }

    private mutating func parseString() throws(JSONParsingError) -> String {
        if let text = skipPlainString() { return String(decoding: text, as: UTF8.self) }
        position += 1
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if peek() == UInt8(ascii: "\"") {
            // Without escapes, the bytes are the text.
            return try endString(bytes[start..<position])
        }
        var buffer = Array(bytes[start..<position])
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                return try endString(buffer)
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

    /// Skips a string without escapes, all of whose characters are ASCII, and returns its text; nil for another string.
    private mutating func skipPlainString() -> UnsafeBufferPointer<UInt8>? {
        var end = position + 1
        while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "\""):
                defer { position = end + 1 }
                return UnsafeBufferPointer(rebasing: bytes[position + 1..<end])
            case UInt8(ascii: "\\"), 0..<0x20, 0x80...: return nil
            default: end += 1
            }
        }
        return nil
    }

    private mutating func endString(_ text: some Collection<UInt8>) throws(JSONParsingError) -> String {
        // This takes a fraction of the time of `String(validating:as:)`.
        let string = String(decoding: text, as: UTF8.self)
        guard string.utf8.elementsEqual(text) else { throw failure("A string that is not UTF-8") }
        position += 1
        return string
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

    /// Returns a text in UTF-8 without a byte order mark; the same bytes if they are that already.
    package static func utf8(_ data: Data) -> Data {
        // Nearly all texts are UTF-8 without a mark, and have none of these bytes at their start.
        guard data.withUnsafeBytes({ $0.prefix(4).contains { $0 == 0 || $0 >= 0xEF } }) else { return data }
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
        if let mark = Charset.byteOrderMark(of: Data(start)) { return mark.encoding }
        let zeros = start.map { $0 == 0 }
        if zeros == [true, true, true, false] { return .utf32BigEndian }
        if zeros == [false, true, true, true] { return .utf32LittleEndian }
        if zeros.starts(with: [true, false]) { return .utf16BigEndian }
        if zeros.starts(with: [false, true]) { return .utf16LittleEndian }
        return nil
    }
}

/// The error of a text that is not valid JSON.
public struct JSONParsingError: Error, Sendable, Hashable, LocalizedError {
    /// A description of the error.
    public var reason: String
    /// The position of the error in the text, in bytes starting at 0.
    public var offset: Int
    /// The line of the error, starting at 1.
    public var line: Int
    /// The column of the error, in bytes starting at 1.
    public var column: Int

    /// The reason and the position.
    public var errorDescription: String? { "\(reason) at line \(line), column \(column)" }
}
