import Foundation

extension JSONValue {
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
