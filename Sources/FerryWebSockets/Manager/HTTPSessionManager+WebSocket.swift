extension HTTPSessionManager {
    /// Makes a task for a WebSocket of the service.
    ///
    /// The handshake is a GET request that the manager's request serializer, with its header fields, and
    /// `SessionManager.adapt(_:)` make. The manager's interceptors and retry policy apply to it, as do the credentials
    /// and the trust of its session.
    ///
    /// - Parameters:
    ///   - path: The path relative to the manager's base URL, or an absolute URL with the scheme `http` or `https`.
    ///   - parameters: The parameters of the URL's query.
    ///   - protocols: The subprotocols that the program understands, the preferred one first; by default, those in
    ///     `Sec-WebSocket-Protocol`.
    ///   - options: The settings.
    /// - Returns: The task, suspended.
    /// - Throws: The error of making the request, or a ``WebSocketError`` if the manager's session is not a
    ///   `CurlSession`.
    public func webSocket(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        protocols: [String] = [],
        options: WebSocketTask.Options = WebSocketTask.Options()
    ) throws -> WebSocketTask {
        guard let session = session as? CurlSession else {
            throw WebSocketError(.invalidRequest, "WebSockets need a CurlSession, the default transport of managers")
        }
        var request = Request<Data>.get(path, serializer: .data)
        request.parameters = parameters?.makeParameters()
        let handshake = try adapt(makeRequest(request))
        let task = session.webSocket(with: handshake, protocols: protocols, options: options)
        if !interceptors.isEmpty { task.interceptors = interceptors }
        if let retryPolicy { task.retryPolicy = retryPolicy }
        return task
    }
}
