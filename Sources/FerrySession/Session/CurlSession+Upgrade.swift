extension CurlSession {
    /// Sends a request that asks the server to switch protocols (RFC 9110, section 7.8).
    ///
    /// It is sent over HTTP/1.1 on a connection of its own. If the response has the status 101, the bytes of the
    /// connection follow as its body, and those of the pipe are sent as they are; a task that switches protocols does
    /// not count as a connection to its host any more.
    ///
    /// - Parameters:
    ///   - request: The request, with the fields of the handshake.
    ///   - prepare: Called with the task before it is resumed.
    ///   - makePipe: Returns the pipe for what is sent after the response; called again when the request is sent again.
    /// - Returns: What the server sends, and the response.
    /// - Throws: A `URLError`, or the error of an interceptor.
    package func upgrade(
        _ request: URLRequest,
        prepare: @Sendable (URLSessionTask) -> Void,
        _ makePipe: @escaping @Sendable () -> BodyPipe
    ) async throws -> (Bytes, URLResponse) {
        let body = MadeBody(length: nil, isReplayable: true, isUpgrade: true, makePipe: makePipe)
        return try await bytes(nil) { delivery in
            let task = makeDataTask(request, .made(body), delivery)
            prepare(task)
            return task
        }
    }
}
