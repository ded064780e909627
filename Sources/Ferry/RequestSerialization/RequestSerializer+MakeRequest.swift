import FerrySession

extension RequestSerializer {
    /// A request made from its parts.
    ///
    /// In this order: the properties set in ``options``, the parameters (``serialize(_:parameters:)``), and the headers,
    /// which replace what is there, `Content-Type` included. AFNetworking: `requestWithMethod:URLString:parameters:error:`.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL.
    ///   - parameters: The parameters, or `nil` for none.
    ///   - headers: Headers of this request alone.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or an error of the serializer's own.
    public func makeRequest(
        method: HTTPMethod,
        url: URL,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws -> URLRequest {
        guard method.isValid else {
            let reason = "The method \(method.rawValue.debugDescription) is no token."
            throw RequestSerializationError(.invalidMethod, reason: reason, failingURL: url.presentable.absoluteString)
        }
        var request = URLRequest(url: url.absoluteURL)
        request.httpMethod = method.rawValue
        options.apply(to: &request)
        request = try serialize(request, parameters: parameters?.makeParameters())
        try request.setHeaders(headers)
        return request
    }

    /// A request with a `multipart/form-data` body: the parameters first, then what the closure adds.
    ///
    /// With neither, the request is as ``makeRequest(method:url:parameters:headers:)`` makes it without parameters. The
    /// body is a ``MultipartInputStream``. AFNetworking:
    /// `multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:error:`.
    ///
    /// - Parameters:
    ///   - method: Any method but `GET` and `HEAD`, which have no body.
    ///   - url: The URL.
    ///   - parameters: Parameters, each of which becomes a part under the name it has in a form.
    ///   - headers: Headers of this request alone; they replace what is there, `Content-Type` excepted.
    ///   - constructingBody: Adds parts.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or what the closure throws.
    public func makeMultipartRequest(
        method: HTTPMethod = .post,
        url: URL,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        constructingBody: (inout MultipartFormData) throws -> Void
    ) throws -> URLRequest {
        guard method != .get, method != .head else {
            let reason = "A \(method) request has no body to carry parts."
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
