/// Carries out a task's commands for a protocol load.
extension ProtocolLoad: TaskDriver {
    func perform(_ command: TaskCommand) { queue.async { [self] in take(command) } }

    private func take(_ command: TaskCommand) {
        switch command {
        case .start: choose()
        // A class cannot be paused: what it reports is kept until the task continues.
        case .suspensionChanged, .readMore, .askIsSending: break
        case .cancel(let client, let producesResumeData):
            release()
            if producesResumeData { client?.receive(.cancelled(resumeData: nil)) }
        case .redirect(let next): answerRedirect(next)
        case .authenticate(let disposition, let credential): answerChallenge(disposition, credential)
        case .bodyStream(let box): answerBodyStream(box)
        case .becomeDownload(let client): becomeDownload(for: client)
        }
    }

    private func answerChallenge(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        guard client != nil, !challenges.isEmpty, let challenge = challenges.removeFirst() else { return }
        loadingQueue.async {
            let sender = challenge.sender
            switch (disposition, credential) {
            case (.useCredential, let credential?), (.performDefaultHandling, let credential?):
                sender?.use(credential, for: challenge)
            case (.useCredential, nil): sender?.continueWithoutCredential(for: challenge)
            case (.performDefaultHandling, nil): sender?.performDefaultHandling(for: challenge)
            case (.rejectProtectionSpace, _): sender?.rejectProtectionSpaceAndContinue(with: challenge)
            case (.cancelAuthenticationChallenge, _): sender?.cancel(challenge)
            }
        }
        guard disposition == .cancelAuthenticationChallenge else { return }
        end(URLError.ferry(.cancelled, url: request.url, "The authentication challenge was cancelled"))
    }

    private func answerBodyStream(_ box: StreamBox?) {
        guard client != nil, case .bodyStream(let type) = question else { return }
        question = nil
        guard let box else { return end(URLError.ferryWithoutStream(url: request.url)) }
        request.httpBodyStream = box.stream
        begin(type)
    }

    private func becomeDownload(for client: any CallClient) {
        guard file == nil else { return }
        guard isFinished || self.client != nil else {
            // The load has failed in the meantime, and its error waits for this.
            return client.receive(.becameDownload(.zero, finished: nil))
        }
        do throws(URLError) {
            let folder = settings.temporaryDirectory
            let made = try client.becomeDownload(in: folder, for: request.url, isWhole: isFinished)
            if !isFinished { file = made }
        } catch {
            release()
            client.failToBecomeDownload(error)
        }
    }

    // MARK: - Redirects, by the same rules as the engine's

    func redirected(to next: URLRequest, _ response: URLResponse, _ client: TaskCore) {
        guard !hasResponse else { return misuse("The protocol class reported a redirect after its response") }
        // Whatever the class reports after this is ignored.
        run?.stop()
        run = nil
        guard let base = request.url, let named = next.url else {
            return misuse("The protocol class reported a redirect to a request without a URL")
        }
        let target = settings.hsts?.upgraded(named) ?? named
        guard client.redirectCount < settings.maximumRedirects else {
            return end(URLError.ferryTooManyRedirects(url: base, limit: settings.maximumRedirects))
        }
        let answer = response as? HTTPURLResponse ?? Self.plainRedirection(from: base, to: target)
        guard let answer else { return misuse("The protocol class reported a redirect without a usable response") }
        let isDowngrade = base.scheme?.lowercased() == "https" && target.scheme?.lowercased() == "http"
        if isDowngrade, !settings.options.allowsInsecureRedirects { return deliver(answer) }
        var upgraded = next
        upgraded.url = target
        let safe = RedirectRule.withoutSecrets(upgraded, from: base, sensitiveHeaders: settings.sensitiveHeaders)
        question = .redirect(answer, to: safe)
        client.receive(.redirect(answer, safe, nil))
    }

    /// Makes an HTTP response for a class of another protocol, because the delegate method takes one.
    private static func plainRedirection(from base: URL, to target: URL) -> HTTPURLResponse? {
        let (found, fields) = (302, ["Location": target.absoluteString])
        return HTTPURLResponse(url: base, statusCode: found, httpVersion: "HTTP/1.1", headerFields: fields)
    }

    /// Delivers the redirect itself as the response.
    private func deliver(_ answer: HTTPURLResponse) {
        client?.receive(.response(ReceivedResponse(answer)))
        end(nil)
    }

    private func answerRedirect(_ next: URLRequest?) {
        guard let client, case .redirect(let answer, let asked) = question else { return }
        question = nil
        guard var next else { return deliver(answer) }
        next = RedirectRule.withholdSecrets(of: asked, in: next, settings.sensitiveHeaders)
        body = body.afterRedirection(status: answer.statusCode, from: request, asked: asked, to: next)
        // The class may have copied the field that describes the task's body.
        if body.isNone { next.setValue(nil, forHTTPHeaderField: "Content-Encoding") }
        closeBody()
        request = next
        client.receive(.event(.rewound))
        choose()
    }
}

extension BodySource {
    /// Returns the body of the request after a redirect, which keeps the task's own if status and method do.
    func afterRedirection(status: Int, from request: URLRequest, asked: URLRequest, to next: URLRequest) -> BodySource {
        let (method, keepsBody) = RedirectRule.method(request.httpMethod ?? "GET", status: status)
        let keepsOwn = keepsBody && method == next.httpMethod ?? "GET"
        return afterRedirect(from: request, asked: asked, to: next, keepsOwn: keepsOwn)
    }
}
