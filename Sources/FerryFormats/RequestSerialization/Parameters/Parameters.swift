/// The parameters of a request: a literal, a dictionary or an `Encodable` value.
///
/// ```swift
/// let literal: Parameters = ["name": "Ada", "tags": ["x", "y"], "left": nil]
/// let mixed = Parameters(["name": name, "age": age])
/// let typed: Parameters = .encoding(User(name: name))
/// ```
///
/// A value that cannot be converted is reported when the request is created, not when the parameters are.
public struct Parameters: Sendable {
    private let storage: Result<any Encodable & Sendable, RequestSerializationError>

    /// Creates parameters from a value.
    public init(_ value: ParameterValue) {
        storage = .success(value)
    }

    /// Creates parameters from a dictionary of values that ``ParameterValue/init(converting:)`` supports.
    public init(_ dictionary: [String: any Sendable]) {
        self.init(converting: dictionary)
    }

    /// Creates parameters from a dictionary of values that ``ParameterValue/init(converting:)`` supports.
    ///
    /// The values are converted immediately, so they need not be `Sendable`.
    public init(_ dictionary: [String: Any]) {
        self.init(converting: dictionary)
    }

    /// Creates parameters from a collection, converting its elements immediately.
    package init(converting collection: some Collection) {
        do {
            storage = .success(try ParameterValue(converting: collection))
        } catch let error as RequestSerializationError {
            storage = .failure(error)
        } catch {
            storage = .failure(.unencodable(error))
        }
    }

    /// Creates parameters from an `Encodable` value.
    ///
    /// The value is encoded by the serializer's encoder for JSON and property lists, and as a ``ParameterValue`` for
    /// forms and queries.
    public init(encoding value: some Encodable & Sendable) {
        storage = .success(value)
    }

    /// Returns the parameters as one value.
    ///
    /// - Returns: The value.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidParameters``.
    public func value() throws -> ParameterValue {
        let value = try storage.get()
        do {
            return try ParameterEncoder().encode(value)
        } catch {
            throw RequestSerializationError.unencodable(error)
        }
    }

    /// Returns the value to pass to an encoder: the caller's `Encodable` value, or a ``ParameterValue``.
    package func encodable() throws -> any Encodable & Sendable { try storage.get() }
}

extension RequestSerializationError {
    /// Returns the error for parameters whose `encode(to:)` threw an error.
    package static func unencodable(_ error: any Error) -> RequestSerializationError {
        let reason = "The parameters could not be encoded."
        return RequestSerializationError(.invalidParameters, reason: reason, underlyingError: error)
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from a literal; if a key occurs more than once, its last value is used.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self.init(.dictionary(Dictionary(elements) { first, last in last }))
    }
}

extension Parameters: ExpressibleByArrayLiteral {
    /// Creates parameters from a literal array, for JSON and property lists.
    public init(arrayLiteral elements: ParameterValue...) { self.init(.array(elements)) }
}

extension Parameters: ExpressibleByStringInterpolation {
    /// Creates parameters that consist of one string without a key.
    public init(stringLiteral value: String) { self.init(.string(value)) }
}

extension Parameters: ExpressibleByIntegerLiteral {
    /// Creates parameters that consist of one integer without a key.
    public init(integerLiteral value: Int64) { self.init(.integer(value)) }
}

extension Parameters: ExpressibleByFloatLiteral {
    /// Creates parameters that consist of one number without a key.
    public init(floatLiteral value: Double) { self.init(.double(value)) }
}

extension Parameters: ExpressibleByBooleanLiteral {
    /// Creates parameters that consist of one Boolean value without a key.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
}
