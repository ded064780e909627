import Foundation

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from a literal; if a key occurs more than once, its last value is used.
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
    /// Creates parameters that consist of one string without a key.
    public init(stringLiteral value: String) {
        self.init(.string(value))
    }
}

extension Parameters: ExpressibleByIntegerLiteral {
    /// Creates parameters that consist of one integer without a key.
    public init(integerLiteral value: Int64) {
        self.init(.integer(value))
    }
}

extension Parameters: ExpressibleByFloatLiteral {
    /// Creates parameters that consist of one number without a key.
    public init(floatLiteral value: Double) {
        self.init(.double(value))
    }
}

extension Parameters: ExpressibleByBooleanLiteral {
    /// Creates parameters that consist of one Boolean value without a key.
    public init(booleanLiteral value: Bool) {
        self.init(.bool(value))
    }
}
