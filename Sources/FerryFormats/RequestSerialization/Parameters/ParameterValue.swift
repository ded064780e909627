/// The value of a request parameter.
///
/// It can be written as a literal: `["name": "Ada", "tags": ["x", "y"], "age": 36, "left": nil] as ParameterValue`.
public enum ParameterValue: Sendable, Hashable {
    /// No value: `null` in JSON, by default nothing in a query or a form.
    case null
    /// A Boolean value: by default `1` or `0` in a query.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// An unsigned integer, used for values above `Int64.max`.
    case unsignedInteger(UInt64)
    /// A binary floating-point number.
    case double(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// A string.
    case string(String)
    /// A point in time.
    case date(Date)
    /// Bytes: sent as they are in a multipart part, base64-encoded elsewhere.
    case data(Data)
    /// An ordered list of values.
    indirect case array([ParameterValue])
    /// A set of values, written in sorted order; in a query, its key has no brackets.
    indirect case set([ParameterValue])
    /// Values by key, written in the order of the keys.
    indirect case dictionary([String: ParameterValue])

    /// Whether the value is an array, a set or a dictionary.
    package var isCollection: Bool {
        switch self {
        case .array, .set, .dictionary: true
        default: false
        }
    }

    /// Returns the shortest text that reads back as the same number; `1`, not `1.0`, as in AFNetworking.
    package static func text(of number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns the number as the double with the same shortest decimal text, such as 0.1 for the `Float` 0.1.
    package static func float(_ number: some BinaryFloatingPoint) -> ParameterValue {
        .double(number as? Double ?? Double("\(number)") ?? Double(number))
    }

    /// Returns the number in the narrowest case that can hold it, or `nil` if it does not fit in 64 bits and is not an
    /// `Int128` or `UInt128`.
    package static func whole(_ number: some BinaryInteger) -> ParameterValue? {
        if let signed = Int64(exactly: number) { return .integer(signed) }
        if let unsigned = UInt64(exactly: number) { return .unsignedInteger(unsigned) }
        guard number is Int128 || number is UInt128 else { return nil }
        // The significand of a decimal number has 128 bits, and its sign is separate.
        return Decimal(string: "\(number)").map(decimal)
    }
}

extension ParameterValue: Encodable {
    /// Encodes the value of the case, without the case itself; a set becomes a sorted array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsignedInteger(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .decimal(let value):
            // JSONEncoder writes it as `NaN`.
            guard value.isFinite else {
                let text = "A decimal that is not a number cannot be encoded"
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(codingPath: encoder.codingPath, debugDescription: text)
                )
            }
            try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .set(let values): try container.encode(QueryEncoding().sorted(values))
        // As a dictionary, whose keys an encoder's key strategy does not change.
        case .dictionary(let values): try container.encode(values)
        }
    }
}

extension ParameterValue: ExpressibleByNilLiteral {
    /// Creates ``null``.
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension ParameterValue: ExpressibleByBooleanLiteral {
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension ParameterValue: ExpressibleByIntegerLiteral {
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension ParameterValue: ExpressibleByFloatLiteral {
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension ParameterValue: ExpressibleByStringInterpolation {
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension ParameterValue: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
}

extension ParameterValue: ExpressibleByDictionaryLiteral {
    /// Creates a dictionary; if a key occurs more than once, its last value is used.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .dictionary(Dictionary(elements) { first, last in last })
    }
}
