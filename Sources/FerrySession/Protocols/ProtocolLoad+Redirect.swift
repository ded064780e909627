/// Redirections that a protocol class reports: the rules are those of the engine's.
extension ProtocolLoad {
    func redirected(to next: URLRequest, _ response: URLResponse, _ client: any ProtocolLoadClient) {
        guard !hasResponse else { return misuse("The protocol class was redirected after its response") }
        // What the class says after this is no part of anything.
        run?.stop()
        run = nil
        guard let base = request.url, let target = next.url else {
            return misuse("The protocol class was redirected to a request without a URL")
        }
        guard client.redirectCount < settings.maximumRedirects else {
            return end(URLError.ferry(.httpTooManyRedirects, url: base, "too many HTTP redirects"))
        }
        let answer = response as? HTTPURLResponse ?? Self.plainRedirection(from: base, to: target)
        guard let answer else { return misuse("The protocol class was redirected by no response") }
        let isDowngrade = base.scheme?.lowercased() == "https" && target.scheme?.lowercased() == "http"
        if isDowngrade, !settings.allowsInsecureRedirects { return deliver(answer) }
        question = .redirect(answer)
        let safe = RedirectRule.withoutSecrets(next, from: base, sensitiveHeaders: settings.sensitiveHeaders)
        client.transfer(willRedirect: answer, to: safe)
    }

    /// For a class of another protocol than HTTP: the delegate's question has an HTTP response.
    private static func plainRedirection(from base: URL, to target: URL) -> HTTPURLResponse? {
        let found = 302
        return HTTPURLResponse(
            url: base,
            statusCode: found,
            httpVersion: "HTTP/1.1",
            headerFields: ["Location": target.absoluteString]
        )
    }

    /// The redirection itself is the response.
    private func deliver(_ answer: HTTPURLResponse) {
        client?.transfer(didReceive: ReceivedResponse(answer), isReplacement: false)
        end(nil)
    }

    func answerRedirect(_ next: URLRequest?) {
        guard let client, case .redirect(let answer) = question else { return }
        question = nil
        guard let next else { return deliver(answer) }
        body = BodySource.afterRedirection(body, status: answer.statusCode, from: request, to: next)
        request = next
        client.transferDidRewindBody()
        client.transfer(willSend: next, adding: [], bodyLength: .zero)
        choose()
    }
}

extension BodySource {
    /// The body of the request after a redirection: its own, or the task's where the status and the method keep it.
    static func afterRedirection(
        _ body: BodySource,
        status: Int,
        from request: URLRequest,
        to next: URLRequest
    ) -> BodySource {
        if let data = next.httpBody { return .data(data) }
        if let stream = next.httpBodyStream, stream !== request.httpBodyStream { return .stream(StreamBox(stream)) }
        let (method, keepsBody) = RedirectRule.method(request.httpMethod ?? "GET", status: status)
        return keepsBody && method == next.httpMethod ?? "GET" ? body : .none
    }
}
