import FerrySession

/// Any value a property list can express.
@dynamicMemberLookup
public enum PropertyListValue: Sendable, Hashable {
    /// A truth value.
    case bool(Bool)
    /// An integer; those of more than 64 bits are not read.
    case integer(Int64)
    /// An integer beyond `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// A text.
    case string(String)
    /// A moment.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// A reference inside a keyed archive; only binary lists have it.
    case uid(UInt64)
    /// A list of values.
    case array([PropertyListValue])
    /// Values by name.
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
    /// The value under a name, if this is a dictionary that has it.
    ///
    /// - Parameter key: The name.
    public subscript(key: String) -> PropertyListValue? { dictionary?[key] }

    /// The value at a place, if this is an array that has it.
    ///
    /// - Parameter index: The place, from 0.
    public subscript(index: Int) -> PropertyListValue? {
        array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// The value under a name, if this is a dictionary that has it.
    ///
    /// - Parameter key: The name.
    public subscript(dynamicMember key: String) -> PropertyListValue? { dictionary?[key] }

    /// The truth value, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The integer as an `Int`, if this is one that fits.
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

    /// The text, if this is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The moment, if this is one.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }

    /// The bytes, if these are some.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }

    /// The elements, if this is an array.
    public var array: [PropertyListValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members, if this is a dictionary.
    public var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}
