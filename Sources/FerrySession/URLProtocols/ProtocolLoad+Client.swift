/// Receives the events of a protocol class, on any thread.
extension ProtocolLoad: URLProtocolClient {
    func urlProtocol(_ loader: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
        handle(loader) { $0.redirected(to: request, redirectResponse, $1) }
    }

    func urlProtocol(_ loader: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        let (response, data) = (cachedResponse.response, cachedResponse.data)
        handle(loader) { $0.take(response, $1) }
        handle(loader) { $0.take(data, $1) }
    }

    func urlProtocol(
        _ loader: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        handle(loader) { $0.take(response, $1) }
    }

    func urlProtocol(_ loader: URLProtocol, didLoad data: Data) { handle(loader) { $0.take(data, $1) } }
    func urlProtocolDidFinishLoading(_ loader: URLProtocol) { handle(loader) { load, _ in load.finish() } }

    func urlProtocol(_ loader: URLProtocol, didFailWithError error: any Error) {
        handle(loader) { load, _ in load.end(Self.transportError(error)) }
    }

    func urlProtocol(_ loader: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        handle(loader) { $0.ask(challenge, $1) }
    }

    func urlProtocol(_ loader: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        handle(loader) { load, _ in
            if let index = load.challenges.lastIndex(where: { $0 === challenge }) { load.challenges[index] = nil }
        }
    }

    /// Handles events in order; ignores the events of a class that has finished or was stopped.
    private func handle(_ loader: URLProtocol, _ event: @escaping @Sendable (ProtocolLoad, TaskCore) -> Void) {
        let identifier = ObjectIdentifier(loader)
        queue.async { [self] in
            guard let client, run?.identifier == identifier else { return }
            event(self, client)
        }
    }

    private func take(_ response: URLResponse, _ client: TaskCore) {
        guard !hasResponse else { return misuse("The protocol class reported a second response") }
        hasResponse = true
        client.receive(.response(ReceivedResponse(response)))
    }

    private func finish() {
        guard hasResponse else { return misuse("The protocol class finished without a response") }
        end(bodyFailure)
    }

    private func take(_ data: Data, _ client: TaskCore) {
        guard hasResponse else { return misuse("The protocol class reported data before a response") }
        guard !data.isEmpty else { return }
        guard let file else {
            // A protocol class cannot be paused, so the client's buffer grows.
            let text: String
            switch data.withUnsafeBytes({ client.receive($0, limit: .max) }) {
            case .more, .wait: return
            case .noMemory: text = "Not enough memory to hold the response"
            case .tooLarge: text = "The response's body is larger than maximumBodySizeInMemory"
            }
            return end(URLError.ferry(.dataLengthExceedsMaximum, url: request.url, text))
        }
        do throws(URLError) {
            try file.append(data)
            client.receive(.event(.wrote(ByteCount(clamping: data.count))))
        } catch {
            end(error)
        }
    }

    /// Converts an error of URLSession's domain to `URLError`; returns others unchanged.
    private static func transportError(_ error: any Error) -> any Error {
        if error is URLError { return error }
        let plain = error as NSError
        guard plain.domain == NSURLErrorDomain, let code = URLError.Code(rawValue: plain.code) else { return error }
        return URLError(code, userInfo: plain.userInfo)
    }

    private func ask(_ challenge: URLAuthenticationChallenge, _ client: TaskCore) {
        challenges.append(challenge)
        let space = challenge.protectionSpace
        let failures = challenge.previousFailureCount
        let stored = failures == 0 ? settings.credentialStore?.credential(for: space) : nil
        let (proposed, response) = (challenge.proposedCredential ?? stored, challenge.failureResponse)
        let question = AuthenticationQuestion(space: space, proposed: proposed, failures: failures, response: response)
        client.receive(.event(.challenge(question)))
    }
}
