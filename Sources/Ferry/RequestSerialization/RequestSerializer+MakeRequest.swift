import FerrySession

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
        request.httpMethod = method.rawValue
        options.apply(to: &request)
        request = try serialize(request, parameters: parameters?.makeParameters())
        try request.setHeaders(headers)
        return request
    }

    /// Creates a request with a `multipart/form-data` body of the parameters and the parts that a closure adds.
    ///
    /// The body is a ``MultipartInputStream``. If there are neither parameters nor parts, the result is the request
    /// that ``makeRequest(method:url:parameters:headers:)`` creates without parameters. AFNetworking:
    /// `multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:error:`.
    ///
    /// - Parameters:
    ///   - method: Any method except `GET` and `HEAD`, which have no body.
    ///   - url: The URL.
    ///   - parameters: The parameters. Each becomes a part, named as in a form, before the parts of the closure.
    ///   - headers: The header fields of this request only. They replace existing ones, except `Content-Type`.
    ///   - constructingBody: A closure that adds parts to the form. It is called before this method returns.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or the error that the closure throws.
    public func makeMultipartRequest(
        method: HTTPMethod = .post,
        url: URL,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        constructingBody: (inout MultipartFormData) throws -> Void
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
        try constructingBody(&form)
        return try form.apply(to: request)
    }
}
