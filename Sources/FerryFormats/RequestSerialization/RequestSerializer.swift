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
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) { options.headers[name] = value }

    /// Returns the value of a default header field.
    ///
    /// AFNetworking: `valueForHTTPHeaderField:`.
    ///
    /// - Parameter name: The field's name, in upper or lower case.
    /// - Returns: The field's value, or `nil` if there is no such field.
    public func value(forHTTPHeaderField name: String) -> String? { options.headers[name] }
}

extension RequestSerializer {
    /// Creates a request from a method, a URL, parameters and header fields.
    ///
    /// Applied in this order: the properties set in ``options``, the parameters (``serialize(_:parameters:)``), and the
    /// header fields, which replace existing ones, including `Content-Type`.
    /// AFNetworking: `requestWithMethod:URLString:parameters:error:`.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL.
    ///   - parameters: The parameters, or `nil` for none.
    ///   - headers: The header fields of this request only.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or an error specific to the serializer.
    public func makeRequest(
        method: HTTPMethod,
        url: URL,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws -> URLRequest {
        guard method.isValid else {
            let reason = "The method \(method.rawValue.debugDescription) is not a valid token."
            throw RequestSerializationError(.invalidMethod, reason: reason, failingURL: url.presentable.absoluteString)
        }
        var request = URLRequest(url: url.absoluteURL)
        // GET is the default, and setting it takes Foundation several comparisons.
        if method != .get { request.httpMethod = method.rawValue }
        options.apply(to: &request)
        request = try serialize(request, parameters: parameters?.makeParameters())
        try request.setHeaders(headers)
        return request
    }

    /// Creates a request with a `multipart/form-data` body of the parameters and the parts that a closure adds.
    ///
    /// The body is a stream. If there are neither parameters nor parts, the result is the request that
    /// ``makeRequest(method:url:parameters:headers:)`` creates without parameters. AFNetworking:
    /// `multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:error:`.
    ///
    /// - Parameters:
    ///   - method: Any method except `GET` and `HEAD`, which have no body.
    ///   - url: The URL.
    ///   - parameters: The parameters. Each becomes a part, named as in a form, before the parts of the closure.
    ///   - headers: The header fields of this request only. They replace existing ones, except `Content-Type`.
    ///   - multipartForm: A closure that adds parts to the form. It is called before this method returns.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or the error that the closure throws.
    public func makeMultipartRequest(
        method: HTTPMethod = .post,
        url: URL,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        constructingBodyWith multipartForm: (inout MultipartFormData) throws -> Void
    ) throws -> URLRequest {
        guard method != .get, method != .head else {
            let reason = "A \(method) request cannot have a multipart body."
            throw RequestSerializationError(.invalidMethod, reason: reason, failingURL: url.presentable.absoluteString)
        }
        let request = try makeRequest(method: method, url: url, headers: headers)
        var form = MultipartFormData()
        if let parameters {
            let parameters = parameters.makeParameters()
            try form.append(parameters, encoding: options.queryEncoding, stringEncoding: options.stringEncoding)
        }
        try multipartForm(&form)
        return try form.apply(to: request)
    }
}
