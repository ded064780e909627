extension HTTPSessionManager {
    /// Returns a stream of server-sent events of the service.
    ///
    /// All connections send the same GET request, which the manager's request serializer and `SessionManager.adapt(_:)`
    /// make once. The manager's interceptors apply to each connection, as do the credentials and the trust of its
    /// session.
    ///
    /// - Parameters:
    ///   - path: The path relative to the manager's base URL, or an absolute URL.
    ///   - parameters: The parameters of the URL's query.
    ///   - options: The settings; by default those of ``EventSource/Options``, with the manager's retry policy, if it
    ///     has one, as the policy for connections that fail.
    /// - Returns: The stream; nothing is sent before it is iterated.
    /// - Throws: The error of making the request, or a `URLError` with the code `unsupportedURL` if the manager's
    ///   session is not a `CurlSession`.
    public func eventSource(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        options: EventSource.Options? = nil
    ) throws -> EventSource {
        guard let session = session as? CurlSession else {
            let text = "Event sources need a CurlSession, the default transport of managers"
            throw URLError(.unsupportedURL, userInfo: [NSLocalizedDescriptionKey: text])
        }
        var request = Request<Data>.get(path, serializer: .data)
        request.parameters = parameters?.makeParameters()
        var source = session.eventSource(for: try adapt(makeRequest(request)), options: options ?? defaultOptions)
        let interceptors = interceptors
        if !interceptors.isEmpty { source.prepare = { $0.interceptors = interceptors } }
        return source
    }

    private var defaultOptions: EventSource.Options {
        var options = EventSource.Options()
        if let retryPolicy { options.retryPolicy = retryPolicy }
        return options
    }
}
