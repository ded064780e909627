import Foundation

/// A property list value.
@dynamicMemberLookup
public enum PropertyListValue: Sendable, Hashable {
    /// A Boolean value.
    case bool(Bool)
    /// An integer; reading one of more than 64 bits is an error.
    case integer(Int64)
    /// An integer greater than `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// A string.
    case string(String)
    /// A date.
    case date(Date)
    /// Data.
    case data(Data)
    /// A reference inside a keyed archive; only binary lists have these.
    case uid(UInt64)
    /// An array of values.
    case array([PropertyListValue])
    /// A dictionary: values by name.
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
    /// Accesses the value for a name; nil if this is not a dictionary or does not contain it.
    public subscript(key: String) -> PropertyListValue? { dictionary?[key] }

    /// Accesses the value at an index, starting at 0; nil if this is not an array or the index is out of range.
    public subscript(index: Int) -> PropertyListValue? {
        array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// Accesses the value for a name; nil if this is not a dictionary or does not contain it.
    public subscript(dynamicMember key: String) -> PropertyListValue? { dictionary?[key] }

    /// The Boolean value, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The integer as an `Int`, if this is an integer and in range.
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number as a `Double`, if this is a number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    /// The string, if this is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The date, if this is one.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }

    /// The data, if this is data.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }

    /// The elements, if this is an array.
    public var array: [PropertyListValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members, if this is a dictionary.
    public var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The value as `PropertyListSerialization` represents it: `[String: Any]`, `[Any]`, `String`, `NSNumber`, `Date`
    /// or `Data`.
    ///
    /// A reference inside a keyed archive becomes an `NSNumber`.
    public var foundationValue: any Sendable {
        switch self {
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value), .uid(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .array(let values): values.map(\.foundationValue)
        case .dictionary(let members): members.mapValues(\.foundationValue)
        }
    }
}

extension PropertyListValue {
    /// Creates a value from a binary or XML property list.
    ///
    /// A damaged list is an error: binary lists are not parsed by Foundation, which crashes on them. More than 512
    /// levels and the OpenStep format are errors too, as are keys with more than 30 combining marks in a row and, in
    /// XML, keys of more than 4,096 bytes.
    ///
    /// - Parameter propertyList: The list.
    /// - Throws: ``PropertyListParsingError`` with the reason and, if known, the position.
    public init(propertyList: Data) throws(PropertyListParsingError) {
        guard propertyList.starts(with: "bplist".utf8) else {
            self = try Self.xml(propertyList)
            return
        }
        let result = propertyList.withUnsafeBytes { bytes in
            Result { () throws(PropertyListParsingError) in
                var parser = try BinaryPropertyListParser(bytes)
                return try parser.parse()
            }
        }
        self = try result.get()
    }

    private static func xml(_ data: Data) throws(PropertyListParsingError) -> PropertyListValue {
        let start = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        let first = start.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        // 0xFE and 0xFF begin the byte order marks of UTF-16.
        guard first == UInt8(ascii: "<") || first == 0xFE || first == 0xFF else {
            throw PropertyListParsingError("Neither a binary nor an XML property list")
        }
        guard XMLPropertyListKeys.areShort(in: data) else {
            throw PropertyListParsingError("A key of more than \(XMLPropertyListKeys.maximumSize) bytes")
        }
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object: Any
        do {
            object = try PropertyListSerialization.propertyList(from: data, options: [], format: &format)
        } catch {
            let details = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            throw PropertyListParsingError(details ?? "Not a well-formed XML property list")
        }
        guard format == .xml else { throw PropertyListParsingError("An OpenStep property list") }
        guard let value = PropertyListValue(object) else {
            throw PropertyListParsingError("A value of an unknown type")
        }
        return value
    }

    /// Creates a value from the result of Foundation's reader; nil if it contains other types than a property list can.
    private init?(_ object: Any) {
        switch object {
        case let value as [String: Any]:
            let members = value.compactMapValues(PropertyListValue.init)
            guard members.count == value.count else { return nil }
            self = .dictionary(members)
        case let value as [Any]:
            let elements = value.compactMap(PropertyListValue.init)
            guard elements.count == value.count else { return nil }
            self = .array(elements)
        case let value as String: self = .string(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .data(value)
        // The cast alone would also succeed for an NSNumber that is 1.
        case let value as Bool where type(of: object) == Bool.self: self = .bool(value)
        case let value as NSNumber: self = Self.number(value)
        default: return nil
        }
    }

    private static func number(_ number: NSNumber) -> PropertyListValue {
        switch String(cString: number.objCType) {
        case "c", "B": .bool(number.boolValue)
        case "f", "d": .real(number.doubleValue)
        case "Q" where number.uint64Value > UInt64(Int64.max): .unsigned(number.uint64Value)
        default: .integer(number.int64Value)
        }
    }
}
