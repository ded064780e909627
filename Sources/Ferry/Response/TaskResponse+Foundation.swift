import Foundation

extension TaskResponse {
    /// The value as Foundation's objects, for code that casts it as with AFNetworking.
    ///
    /// ```swift
    /// if let user = response.foundationValue as? [String: Any] {
    ///     print(user["name"] as? String ?? "no name")
    /// }
    /// ```
    ///
    /// A ``JSONValue`` or ``PropertyListValue`` is converted, because `as? [String: Any]` fails for those. Any other
    /// value is returned as it is.
    public var foundationValue: (any Sendable)? {
        switch value as (any Sendable)? {
        case let value as JSONValue: value.foundationValue
        case let value as PropertyListValue: value.foundationValue
        default: value
        }
    }
}
