import FerrySession

/// Encodes parameters into a request: its URL, or its body and `Content-Type`.
///
/// Serializers are values: one may be used from any number of threads at once. Ready-made ones are ``form``, ``json``
/// and ``propertyList``.
public protocol RequestSerializer: Sendable {
    /// What ``makeRequest(method:url:parameters:headers:)`` sets on requests; by default nothing.
    var options: RequestOptions { get }

    /// A copy of the request with the parameters encoded.
    ///
    /// - Parameters:
    ///   - request: The request; what it carries already is kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or an error of the serializer's own.
    func serialize(_ request: URLRequest, parameters: Parameters?) throws -> URLRequest
}

extension RequestSerializer {
    /// Options that set nothing: no default headers either.
    public var options: RequestOptions { RequestOptions { options in options.headers = HTTPHeaders() } }
}

/// A request serializer whose ``RequestOptions`` can be changed, such as a manager's own.
///
/// The options are members of the serializer, so that they are changed where it is kept:
///
/// ```swift
/// manager.requestSerializer.headers["X-Client"] = "ferry"
/// manager.requestSerializer.timeoutInterval = 10
/// ```
///
/// A serializer of your own needs `var options = RequestOptions()` besides ``RequestSerializer/serialize(_:parameters:)``.
///
/// AFNetworking: `AFHTTPRequestSerializer`.
@dynamicMemberLookup
public protocol ConfigurableRequestSerializer: RequestSerializer {
    /// Headers, properties and the encoding of queries.
    var options: RequestOptions { get set }
}

extension ConfigurableRequestSerializer {
    /// A member of ``options``.
    public subscript<Value>(dynamicMember member: WritableKeyPath<RequestOptions, Value>) -> Value {
        get { options[keyPath: member] }
        set { options[keyPath: member] = newValue }
    }

    /// Sets a header field for requests that do not carry one of its name; nil removes it.
    ///
    /// AFNetworking: `setValue:forHTTPHeaderField:`.
    ///
    /// - Parameters:
    ///   - value: The field's value, or nil.
    ///   - name: The field's name, in upper or lower case.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {
        options.headers[name] = value
    }

    /// Returns the value of a header field.
    ///
    /// AFNetworking: `valueForHTTPHeaderField:`.
    ///
    /// - Parameter name: The field's name, in upper or lower case.
    /// - Returns: Its value; nil if there is none.
    public func value(forHTTPHeaderField name: String) -> String? {
        options.headers[name]
    }
}
