/// A type that can be the parameters of a request.
///
/// ``Parameters`` conforms, as do dictionaries with string keys, arrays, strings, numbers and Booleans, so that a
/// literal may contain variables of any of these types:
///
/// ```swift
/// manager.get("search", parameters: ["q": q, "page": page]) { response in
///     print(response.value ?? "nothing")
/// }
/// ```
///
/// A value of any `Encodable` type is written as `.encoding(user)`. A type whose values are often parameters can
/// conform instead, so that they are passed as they are; an `Encodable` and `Sendable` type needs no code for that.
///
/// A value that cannot be converted is reported when the request is created, as
/// ``NetworkError/Code/invalidParameters``.
public protocol ParametersConvertible {
    /// Returns the parameters that this value represents.
    func makeParameters() -> Parameters
}

extension ParametersConvertible where Self: Encodable & Sendable {
    /// Returns parameters that the serializer's encoder encodes.
    public func makeParameters() -> Parameters { Parameters(encoding: self) }
}

extension ParametersConvertible where Self == Parameters {
    /// Returns parameters that consist of an `Encodable` value.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: Parameters that the serializer's encoder encodes.
    public static func encoding(_ value: some Encodable & Sendable) -> Parameters { Parameters(encoding: value) }

    /// Returns parameters that consist of an `Encodable` value, or nil for none.
    ///
    /// - Parameter value: The value to encode, or nil.
    /// - Returns: Parameters that the serializer's encoder encodes; nil if there is no value.
    public static func encoding(_ value: (some Encodable & Sendable)?) -> Parameters? {
        value.map { Parameters(encoding: $0) }
    }
}

extension Parameters: ParametersConvertible {
    /// Returns the parameters themselves.
    public func makeParameters() -> Parameters { self }
}

extension Dictionary: ParametersConvertible where Key == String {
    /// Returns parameters with the dictionary's values, converted by ``ParameterValue/init(converting:)``.
    public func makeParameters() -> Parameters { Parameters(converting: self) }
}

extension Array: ParametersConvertible {
    /// Returns parameters without keys, for JSON and property lists.
    public func makeParameters() -> Parameters { Parameters(converting: self) }
}

extension ParameterValue: ParametersConvertible {}

// Parameters of one value, without a key.
extension String: ParametersConvertible {}
extension Int: ParametersConvertible {}
extension Double: ParametersConvertible {}
extension Bool: ParametersConvertible {}
