/// Carries out a task's commands for a protocol load.
extension ProtocolLoad: TaskDriver {
    func perform(_ command: TaskCommand) {
        queue.async { [self] in take(command) }
    }

    private func take(_ command: TaskCommand) {
        switch command {
        case .start: choose()
        // A class cannot be paused: what it reports is kept until the task continues.
        case .suspensionChanged, .readMore: break
        case .cancel: give()
        case .cancelProducingResumeData(let client):
            give()
            client.exchange(didCancelProducing: nil)
        case .redirect(let next): answerRedirect(next)
        case .authenticate(let disposition, let credential): answerChallenge(disposition, credential)
        case .bodyStream(let box): answerBodyStream(box)
        case .becomeDownload(let client): becomeDownload(for: client)
        }
    }

    private func answerChallenge(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        guard client != nil, case .challenge(let challenge) = question else { return }
        question = nil
        let sender = challenge.sender
        switch (disposition, credential) {
        case (.useCredential, let credential?), (.performDefaultHandling, let credential?):
            sender?.use(credential, for: challenge)
        case (.useCredential, nil): sender?.continueWithoutCredential(for: challenge)
        case (.performDefaultHandling, nil): sender?.performDefaultHandling(for: challenge)
        case (.rejectProtectionSpace, _): sender?.rejectProtectionSpaceAndContinue(with: challenge)
        case (.cancelAuthenticationChallenge, _):
            sender?.cancel(challenge)
            end(URLError.ferry(.cancelled, url: request.url, "The authentication challenge was cancelled"))
        }
    }

    private func answerBodyStream(_ box: StreamBox?) {
        guard client != nil, case .bodyStream(let type) = question else { return }
        question = nil
        guard let box else { return end(URLError.ferryWithoutStream(url: request.url)) }
        request.httpBodyStream = box.stream
        begin(type)
    }

    private func becomeDownload(for client: any ExchangeClient) {
        guard case .client = sink, isFinished || self.client != nil else { return }
        do throws(URLError) {
            let kept = client.exchangeTakesBuffer()
            let file = try DownloadFile(
                keeping: kept,
                in: settings.temporaryDirectory,
                requestURL: request.url,
                isWhole: isFinished
            )
            client.exchange(didBecomeDownloadWith: ByteCount(clamping: kept.count), finished: isFinished ? file : nil)
            if !isFinished { sink = .file(file) }
        } catch {
            give()
            // Report the failure first: becoming a download resumes delivery, and a queued success could overtake it.
            client.exchange(didFinishWith: error, file: nil)
            client.exchange(didBecomeDownloadWith: .zero, finished: nil)
        }
    }
}
