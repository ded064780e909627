extension JSONValue: Codable {
    /// Decodes a value; throws `DecodingError` for one that JSON does not have.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self), container.isExactly(value) {
            self = .number(JSONNumber(value))
        } else if let value = try? container.decode(UInt64.self), container.isExactly(value) {
            self = .number(JSONNumber(value))
        } else if let value = try? container.decode(Decimal.self), container.isExactly(value),
            let number = JSONNumber(value)
        {
            self = .number(number)
        } else if let value = try? container.decode(Double.self), let number = JSONNumber(value) {
            self = .number(number)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value into any encoder; `JSONEncoder` writes integers up to `Int128.max` with all their digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .number(let number):
            switch number.storage {
            case .integer(let value): try container.encode(value)
            case .unsigned(let value): try container.encode(value)
            case .double(let value):
                // JSONEncoder would write the double with an exponent. Property lists have no such integers.
                if let integer = number.integer(as: Int128.self), (try? container.encode(integer)) != nil { return }
                try container.encode(value)
            case .decimal(let value): try container.encode(value)
            }
        }
    }

    /// Decodes a typed value from this one.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder; by default one with the default settings.
    /// - Returns: The typed value.
    /// - Throws: `DecodingError` if the value does not match the type.
    public func decoded<T: Decodable>(as type: T.Type = T.self, decoder: JSONDecoder = JSONDecoder()) throws -> T {
        try decoder.decode(type, from: jsonData())
    }

    /// The value as `JSONSerialization` represents it: `[String: Any]`, `[Any]`, `String`, `NSNumber` or `NSNull`.
    ///
    /// Casts such as `as? [String: Any]`, `as? Int` and `as? Bool` have the same results as with Foundation's objects.
    public var foundationValue: any Sendable {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .number(let value): value.foundationValue
        case .string(let value): value
        case .array(let values): values.map(\.foundationValue)
        case .object(let members): members.mapValues(\.foundationValue)
        }
    }
}

extension SingleValueDecodingContainer {
    /// Returns a Boolean value that indicates whether the number is the integer that was decoded from it.
    ///
    /// Foundation's JSON decoder drops a fraction that a `Double` of that size cannot represent. Below 2^32 such a
    /// fraction is less than a millionth, and is not checked: decoding would take twice as long.
    fileprivate func isExactly(_ integer: some BinaryInteger) -> Bool {
        guard integer.magnitude >= 1 << 32, let decimal = try? decode(Decimal.self) else { return true }
        return decimal == Decimal(exactly: integer)
    }

    /// Returns whether the decoder has kept all digits of a decimal number; it keeps at most 39.
    fileprivate func isExactly(_ decimal: Decimal) -> Bool {
        if decimal.significand.magnitude < Decimal(sign: .plus, exponent: 38, significand: 1) { return true }
        let integer = (try? decode(Int128.self))?.description ?? (try? decode(UInt128.self))?.description
        return integer == decimal.description
    }
}

extension JSONNumber {
    /// The number as an `NSNumber`; a decimal one as an `NSDecimalNumber`, which keeps all its digits.
    fileprivate var foundationValue: NSNumber {
        switch storage {
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        }
    }
}
