import FerrySession

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from a literal; the last of several equal keys wins.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self.init(.dictionary(Dictionary(elements) { first, last in last }))
    }
}

extension Parameters: ExpressibleByArrayLiteral {
    /// Creates parameters from a literal array, for JSON and property lists.
    public init(arrayLiteral elements: ParameterValue...) {
        self.init(.array(elements))
    }
}

extension Parameters: ExpressibleByStringInterpolation {
    /// Creates parameters of one text without a key.
    public init(stringLiteral value: String) {
        self.init(.string(value))
    }
}

extension Parameters: ExpressibleByIntegerLiteral {
    /// Creates parameters of one whole number without a key.
    public init(integerLiteral value: Int64) {
        self.init(.integer(value))
    }
}

extension Parameters: ExpressibleByFloatLiteral {
    /// Creates parameters of one number without a key.
    public init(floatLiteral value: Double) {
        self.init(.double(value))
    }
}

extension Parameters: ExpressibleByBooleanLiteral {
    /// Creates parameters of one truth value without a key.
    public init(booleanLiteral value: Bool) {
        self.init(.bool(value))
    }
}
