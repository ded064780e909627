/// Receives the events of a protocol class, on any thread.
extension ProtocolLoad: URLProtocolClient {
    private enum Event: Sendable {
        case response(URLResponse)
        case data(Data)
        case finished
        case failed(any Error)
        case redirected(URLRequest, URLResponse)
        case challenge(URLAuthenticationChallenge)
        case challengeCancelled(URLAuthenticationChallenge)
    }

    func urlProtocol(_ loader: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
        post(.redirected(request, redirectResponse), loader)
    }

    func urlProtocol(_ loader: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        post(.response(cachedResponse.response), loader)
        post(.data(cachedResponse.data), loader)
    }

    func urlProtocol(
        _ loader: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        post(.response(response), loader)
    }

    func urlProtocol(_ loader: URLProtocol, didLoad data: Data) { post(.data(data), loader) }
    func urlProtocolDidFinishLoading(_ loader: URLProtocol) { post(.finished, loader) }
    func urlProtocol(_ loader: URLProtocol, didFailWithError error: any Error) { post(.failed(error), loader) }

    func urlProtocol(_ loader: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        post(.challenge(challenge), loader)
    }

    func urlProtocol(_ loader: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        post(.challengeCancelled(challenge), loader)
    }

    /// Handles events in order; ignores those of a class that has finished or was stopped.
    private func post(_ event: Event, _ loader: URLProtocol) {
        let identifier = ObjectIdentifier(loader)
        queue.async { [self] in
            guard let client, run?.identifier == identifier else { return }
            take(event, client)
        }
    }

    private func take(_ event: Event, _ client: TaskCore) {
        switch event {
        case .response(let response):
            guard !hasResponse else { return misuse("The protocol class reported a second response") }
            hasResponse = true
            client.receive(.response(ReceivedResponse(response)))
        case .data(let data):
            guard hasResponse else { return misuse("The protocol class reported data before a response") }
            take(data, client)
        case .finished:
            guard hasResponse else { return misuse("The protocol class finished without a response") }
            end(bodyFailure)
        case .failed(let error): end(Self.transportError(error))
        case .redirected(let next, let response): redirected(to: next, response, client)
        case .challenge(let challenge): ask(challenge, client)
        case .challengeCancelled(let challenge):
            if let index = challenges.lastIndex(where: { $0 === challenge }) { challenges[index] = nil }
        }
    }

    private func take(_ data: Data, _ client: TaskCore) {
        guard !data.isEmpty else { return }
        guard case .file(let file) = sink else {
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
            client.receive(.wrote(ByteCount(clamping: data.count)))
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
        client.receive(.challenge(question))
    }
}
