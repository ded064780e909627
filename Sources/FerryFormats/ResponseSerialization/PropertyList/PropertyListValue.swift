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
    /// A reference inside a keyed archive; in XML, a dictionary with an integer for its only key `CF$UID`.
    case uid(UInt64)
    /// An array of values.
    case array([PropertyListValue])
    /// A dictionary: values by name.
    case dictionary([String: PropertyListValue])

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

    /// Creates a value from a binary or XML property list.
    ///
    /// A damaged list is an error: lists are not parsed by Foundation, which crashes on damaged binary ones. More than
    /// 512 levels and the OpenStep format are errors too, as are keys of more than 4,096 bytes or with more than 30
    /// combining marks in a row, and XML whose document type has declarations of its own.
    ///
    /// - Parameter propertyList: The list.
    /// - Throws: ``PropertyListParsingError`` with the reason and, if known, the position.
    public init(propertyList: Data) throws(PropertyListParsingError) {
        guard propertyList.starts(with: "bplist".utf8) else {
            try self.init(xml: propertyList)
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
}
