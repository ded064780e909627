import FerrySession

/// The parameters of a request, in whatever form the caller has them.
///
/// ```swift
/// let literal: Parameters = ["name": "Ada", "tags": ["x", "y"], "left": nil]
/// let mixed = Parameters(["name": name, "age": age])
/// let typed: Parameters = .encoding(User(name: name))
/// ```
///
/// What has no form as a parameter is reported when the request is made, not here.
public struct Parameters: Sendable {
    private enum Storage: Sendable {
        case value(ParameterValue)
        case encodable(any Encodable & Sendable)
        case failure(RequestSerializationError)
    }

    private let storage: Storage

    /// Creates parameters from a value.
    public init(_ value: ParameterValue) {
        storage = .value(value)
    }

    /// Creates parameters from a dictionary of anything ``ParameterValue/init(converting:encoder:)`` knows.
    public init(_ dictionary: [String: any Sendable]) {
        self.init(converting: dictionary)
    }

    /// Creates parameters from a dictionary of anything ``ParameterValue/init(converting:encoder:)`` knows.
    ///
    /// The values are converted at once, so that they need not be `Sendable`.
    public init(_ dictionary: [String: Any]) {
        self.init(converting: dictionary)
    }

    /// Creates parameters from a collection whose elements are converted at once.
    init(converting collection: some Collection) {
        do {
            storage = .value(try ParameterValue(converting: collection))
        } catch let error as RequestSerializationError {
            storage = .failure(error)
        } catch {
            storage = .failure(.unencodable(error))
        }
    }

    /// Creates parameters from a value that encodes itself: with the serializer's own encoder in JSON and property
    /// lists, with ``ParameterEncoder`` in forms and queries.
    public init(encoding value: some Encodable & Sendable) {
        storage = .encodable(value)
    }

    /// The parameters as one value.
    ///
    /// - Parameter encoder: What turns an `Encodable` into a value.
    /// - Returns: The value.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidParameters``.
    public func value(encoder: ParameterEncoder = ParameterEncoder()) throws -> ParameterValue {
        switch storage {
        case .value(let value): return value
        case .failure(let error): throw error
        case .encodable(let value):
            do {
                return try encoder.encode(value)
            } catch {
                throw RequestSerializationError.unencodable(error)
            }
        }
    }

    /// The parameters as an encoder should get them: the caller's own type, or a ``ParameterValue``.
    func encodable() throws -> any Encodable {
        switch storage {
        case .value(let value): return value
        case .encodable(let value): return value
        case .failure(let error): throw error
        }
    }
}

extension RequestSerializationError {
    /// Parameters whose `encode(to:)` failed.
    static func unencodable(_ error: any Error) -> RequestSerializationError {
        let reason = "The parameters could not be encoded."
        return RequestSerializationError(.invalidParameters, reason: reason, underlyingError: error)
    }
}
