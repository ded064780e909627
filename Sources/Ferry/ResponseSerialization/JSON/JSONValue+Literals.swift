import Foundation

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Creates a number.
    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// Creates a number; `null` from a literal too large for a `Double`.
    public init(floatLiteral value: Double) {
        self.init(value)
    }
}

extension JSONValue: ExpressibleByStringInterpolation {
    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object; of members with the same name, the last one is kept.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { $1 })
    }
}

extension JSONValue {
    /// Creates a number.
    ///
    /// - Parameter value: Any integer.
    public init(_ value: some BinaryInteger) {
        self = .number(JSONNumber(value))
    }

    /// Creates a number, or `null` from infinity and NaN, which JSON does not have.
    ///
    /// - Parameter value: A floating-point number.
    public init(_ value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }

    /// Creates a number, or `null` from NaN, which JSON does not have.
    ///
    /// - Parameter value: A decimal number.
    public init(_ value: Decimal) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }

    /// Creates a string.
    ///
    /// - Parameter value: Any string.
    public init(_ value: String) {
        self = .string(value)
    }

    /// Creates a Boolean value.
    ///
    /// - Parameter value: True or false.
    public init(_ value: Bool) {
        self = .bool(value)
    }
}
