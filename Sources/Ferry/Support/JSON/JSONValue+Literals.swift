import FerrySession

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Makes a truth value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Makes a number.
    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// Makes a number; `null` from a literal too large for a `Double`.
    public init(floatLiteral value: Double) {
        self.init(value)
    }
}

extension JSONValue: ExpressibleByStringInterpolation {
    /// Makes a text.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Makes an object; of members with the same name the last one stays.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { $1 })
    }
}

extension JSONValue {
    /// Makes a number.
    ///
    /// - Parameter value: Any integer.
    public init(_ value: some BinaryInteger) {
        self = .number(JSONNumber(value))
    }

    /// Makes a number, or `null` from infinity and NaN, which JSON does not have.
    ///
    /// - Parameter value: A floating-point number.
    public init(_ value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }

    /// Makes a number, or `null` from NaN, which JSON does not have.
    ///
    /// - Parameter value: A decimal number.
    public init(_ value: Decimal) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }

    /// Makes a text.
    ///
    /// - Parameter value: Any string.
    public init(_ value: String) {
        self = .string(value)
    }

    /// Makes a truth value.
    ///
    /// - Parameter value: True or false.
    public init(_ value: Bool) {
        self = .bool(value)
    }
}
