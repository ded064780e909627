extension TimeInterval {
    /// The limit to set in a `URLRequest`, in which exactly 60 seconds would mean the session's limit.
    package var asChosen: TimeInterval { self == 60 ? nextUp : self }
}

extension RequestOptions {
    /// Sets the request's properties for which these options have a value.
    package func apply(to request: inout URLRequest) {
        if let timeoutInterval { request.timeoutInterval = timeoutInterval.asChosen }
        if let cachePolicy { request.cachePolicy = cachePolicy }
        if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
        if let httpShouldHandleCookies { request.httpShouldHandleCookies = httpShouldHandleCookies }
        if let httpShouldUsePipelining { Self.setPipelining(httpShouldUsePipelining, of: &request) }
        if let networkServiceType { request.networkServiceType = networkServiceType }
    }

    package func query(_ parameters: Parameters, for request: URLRequest, in encoding: String.Encoding) throws -> String
    {
        if let querySerializer { return try querySerializer(request, parameters) }
        do {
            return try queryEncoding.encode(parameters, using: encoding)
        } catch let error as RequestSerializationError {
            throw error.failing(request.url)
        }
    }

    package func encodesParametersInURI(_ request: URLRequest) -> Bool {
        methodsEncodingParametersInURI.contains(HTTPMethod(request.httpMethod?.uppercased() ?? "GET"))
    }

    /// Returns a copy of the request with default header fields and with the parameters in its query or body.
    ///
    /// `encode` returns the body, or `nil` if the format, which error messages name, does not allow the parameters.
    package func serialize(
        _ request: URLRequest,
        _ parameters: Parameters?,
        contentType: String,
        format: String,
        encode: (Parameters) throws -> Data?
    ) throws -> URLRequest {
        let url = try request.requiredURL()
        if encodesParametersInURI(request) {
            return try HTTPRequestSerializer(options: self).serialize(request, parameters: parameters)
        }
        var request = request
        try request.addMissingHeaders(headers)
        guard let parameters else { return request }
        var cause: (any Error)?
        do {
            if let body = try encode(parameters) {
                try request.setBody(body, contentType: contentType)
                return request
            }
        } catch let error as RequestSerializationError {
            throw error.failing(url)
        } catch {
            cause = error
        }
        let reason = "The `parameters` argument is not \(format)" + (cause.map { ": \(BodyCheck.reason($0))" } ?? ".")
        let failing = url.absoluteString
        throw RequestSerializationError(.invalidParameters, reason: reason, failingURL: failing, underlyingError: cause)
    }

    private static func setPipelining(_ value: Bool, of request: inout some Pipelining) {
        request.httpShouldUsePipelining = value
    }
}

/// Sets a property that Foundation has deprecated and that AFNetworking's users may still set, without a warning.
private protocol Pipelining {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: Pipelining {}
