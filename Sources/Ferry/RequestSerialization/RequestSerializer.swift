import Foundation

/// A type that encodes parameters into a request: into its URL, or into its body and `Content-Type`.
///
/// Serializers are values, and one may be used by any number of threads at the same time. Ferry provides ``form``,
/// ``json`` and ``propertyList``.
public protocol RequestSerializer: Sendable {
    /// The options that ``makeRequest(method:url:parameters:headers:)`` applies to requests; by default, none are set.
    var options: RequestOptions { get }

    /// Returns a copy of the request with the parameters encoded.
    ///
    /// - Parameters:
    ///   - request: The request. Header fields that it already has are kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or an error specific to the serializer.
    func serialize(_ request: URLRequest, parameters: Parameters?) throws -> URLRequest
}

extension RequestSerializer {
    /// Options that set nothing, not even default header fields.
    public var options: RequestOptions { RequestOptions { options in options.headers = HTTPHeaders() } }
}

/// A request serializer whose ``RequestOptions`` can be changed, such as a manager's serializer.
///
/// The options are available as members of the serializer, so that they can be changed in place:
///
/// ```swift
/// manager.requestSerializer.headers["X-Client"] = "ferry"
/// manager.requestSerializer.timeoutInterval = 10
/// ```
///
/// A custom serializer needs `var options = RequestOptions()` and ``RequestSerializer/serialize(_:parameters:)``.
///
/// AFNetworking: `AFHTTPRequestSerializer`.
@dynamicMemberLookup
public protocol ConfigurableRequestSerializer: RequestSerializer {
    /// The default header fields, the request properties and the encoding of queries.
    var options: RequestOptions { get set }
}

extension ConfigurableRequestSerializer {
    /// A member of ``options``.
    public subscript<Value>(dynamicMember member: WritableKeyPath<RequestOptions, Value>) -> Value {
        get { options[keyPath: member] }
        set { options[keyPath: member] = newValue }
    }

    /// Sets or removes a default header field, which is added to requests that do not have a field with its name.
    ///
    /// AFNetworking: `setValue:forHTTPHeaderField:`.
    ///
    /// - Parameters:
    ///   - value: The field's value, or `nil` to remove the field.
    ///   - name: The field's name, in upper or lower case.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {
        options.headers[name] = value
    }

    /// Returns the value of a default header field.
    ///
    /// AFNetworking: `valueForHTTPHeaderField:`.
    ///
    /// - Parameter name: The field's name, in upper or lower case.
    /// - Returns: The field's value, or `nil` if there is no such field.
    public func value(forHTTPHeaderField name: String) -> String? {
        options.headers[name]
    }
}
