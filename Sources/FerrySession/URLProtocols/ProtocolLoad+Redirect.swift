/// Handles redirects reported by a protocol class, by the same rules as the engine's.
extension ProtocolLoad {
    func redirected(to next: URLRequest, _ response: URLResponse, _ client: any ProtocolLoadClient) {
        guard !hasResponse else { return misuse("The protocol class reported a redirect after its response") }
        // Whatever the class reports after this is ignored.
        run?.stop()
        run = nil
        guard let base = request.url, let target = next.url else {
            return misuse("The protocol class reported a redirect to a request without a URL")
        }
        guard client.redirectCount < settings.maximumRedirects else {
            return end(URLError.ferry(.httpTooManyRedirects, url: base, "too many HTTP redirects"))
        }
        let answer = response as? HTTPURLResponse ?? Self.plainRedirection(from: base, to: target)
        guard let answer else { return misuse("The protocol class reported a redirect without a usable response") }
        let isDowngrade = base.scheme?.lowercased() == "https" && target.scheme?.lowercased() == "http"
        if isDowngrade, !settings.allowsInsecureRedirects { return deliver(answer) }
        question = .redirect(answer)
        let safe = RedirectRule.withoutSecrets(next, from: base, sensitiveHeaders: settings.sensitiveHeaders)
        client.exchange(willRedirect: answer, to: safe)
    }

    /// Makes an HTTP response for a class of another protocol, because the delegate method takes one.
    private static func plainRedirection(from base: URL, to target: URL) -> HTTPURLResponse? {
        let found = 302
        return HTTPURLResponse(
            url: base,
            statusCode: found,
            httpVersion: "HTTP/1.1",
            headerFields: ["Location": target.absoluteString]
        )
    }

    /// Delivers the redirect itself as the response.
    private func deliver(_ answer: HTTPURLResponse) {
        client?.exchange(didReceive: ReceivedResponse(answer), isReplacement: false)
        end(nil)
    }

    func answerRedirect(_ next: URLRequest?) {
        guard let client, case .redirect(let answer) = question else { return }
        question = nil
        guard let next else { return deliver(answer) }
        body = BodySource.afterRedirection(body, status: answer.statusCode, from: request, to: next)
        request = next
        client.exchangeDidRewindBody()
        client.exchange(willSend: next, adding: [], bodyLength: .zero)
        choose()
    }
}

extension BodySource {
    /// Returns the body of the request after a redirect: its own, or the task's if status and method keep it.
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
