import Foundation

extension PropertyListValue {
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
