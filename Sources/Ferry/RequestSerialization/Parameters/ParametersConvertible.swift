import FerrySession

/// A type that can be the parameters of a request.
///
/// ``Parameters`` is one, as are dictionaries with text keys, arrays, texts and numbers, so that variables of any kind
/// may stand in a literal:
///
/// ```swift
/// manager.get("search", parameters: ["q": q, "page": page]) { response in
///     print(response.value ?? "nothing")
/// }
/// ```
///
/// An `Encodable` type conforms without any code, or is wrapped by ``encoding(_:)`` where it is used:
///
/// ```swift
/// struct Search: Encodable, ParametersConvertible {
///     var q: String
///     var page = 1
/// }
/// ```
///
/// What has no form as a parameter is reported when the request is made, as ``NetworkError/Code/invalidParameters``.
public protocol ParametersConvertible {
    /// Returns the parameters this value stands for.
    func makeParameters() -> Parameters
}

extension ParametersConvertible where Self: Encodable & Sendable {
    /// Returns parameters that the serializer's own encoder encodes.
    public func makeParameters() -> Parameters {
        Parameters(encoding: self)
    }
}

extension ParametersConvertible where Self == Parameters {
    /// The parameters a value encodes as.
    ///
    /// - Parameter value: A value that encodes itself.
    /// - Returns: Parameters that the serializer's own encoder encodes.
    public static func encoding(_ value: some Encodable & Sendable) -> Parameters {
        Parameters(encoding: value)
    }
}

extension Parameters: ParametersConvertible {
    /// Returns the parameters themselves.
    public func makeParameters() -> Parameters { self }
}

extension ParameterValue: ParametersConvertible {
    /// Returns parameters with this value.
    public func makeParameters() -> Parameters { Parameters(self) }
}

extension Dictionary: ParametersConvertible where Key == String {
    /// Returns parameters with the values that ``ParameterValue/init(converting:encoder:)`` makes of the dictionary's.
    public func makeParameters() -> Parameters { Parameters(converting: self) }
}

extension Array: ParametersConvertible {
    /// Returns parameters without keys, for JSON and property lists.
    public func makeParameters() -> Parameters { Parameters(converting: self) }
}

extension String: ParametersConvertible {
    /// Returns parameters of one text without a key.
    public func makeParameters() -> Parameters { Parameters(.string(self)) }
}

extension Int: ParametersConvertible {
    /// Returns parameters of one whole number without a key.
    public func makeParameters() -> Parameters { Parameters(.integer(Int64(self))) }
}

extension Double: ParametersConvertible {
    /// Returns parameters of one number without a key.
    public func makeParameters() -> Parameters { Parameters(.double(self)) }
}

extension Bool: ParametersConvertible {
    /// Returns parameters of one truth value without a key.
    public func makeParameters() -> Parameters { Parameters(.bool(self)) }
}
