/// From the head of a response to its last byte.
extension Transfer {
    /// Decides what a response is: a redirection, the rest of an earlier one, or the answer.
    func didReceiveHead(_ head: ResponseHead) -> Bool {
        let httpVersion2 = 3
        if let easy, easy.long(CurlInfo.httpVersion) == httpVersion2, let origin = gateOrigin {
            engine.noteMultiplexed(origin)
        }
        attemptStatus = head.status
        engine.settings.cookies?.store(head.fields, for: request)
        let codings = contentCodings(of: head)
        guard
            let url = request.url,
            let received = CurlHTTPResponse(url: url, head: head, isDecoded: !codings.isEmpty)
        else {
            ownFailure = .ferry(.cannotParseResponse, url: request.url, "The server's answer has an impossible head")
            return false
        }
        decoders = codings.reversed().compactMap(ContentDecoder.init)
        if let next = redirection(for: received, head: head) {
            guard redirectCount < engine.settings.maximumRedirects else {
                ownFailure = .ferry(.httpTooManyRedirects, url: url, "More than \(redirectCount) redirections")
                return false
            }
            redirection = next
            return true
        }
        if let offset = continuesAt { return didContinue(received, head, at: offset) }
        deliver(received)
        return true
    }

    private func redirection(for received: HTTPURLResponse, head: ResponseHead) -> Redirection? {
        guard let location = head.value("Location") else { return nil }
        let settings = engine.settings
        guard
            let next = RedirectRule.redirect(
                request,
                status: head.status,
                location: location,
                allowsDowngrade: settings.allowsInsecureRedirects,
                sensitiveHeaders: settings.sensitiveHeaders
            )
        else { return nil }
        return Redirection(response: received, request: next.request, keepsBody: next.keepsBody)
    }

    func deliver(_ received: HTTPURLResponse, isReplacement: Bool = false) {
        response = received
        bodyReceived = 0
        wasSuspended = isSuspended
        expectedTotal = received.expectedContentLength < 0 ? nil : received.expectedContentLength
        validator = decoders.isEmpty ? ContinuationRule.validator(for: received, request: request) : nil
        client?.transfer(didReceive: received, isReplacement: isReplacement)
    }

    /// Content codings to undo; none where there is no body, or only a part of one.
    private func contentCodings(of head: ResponseHead) -> [ContentCoding] {
        guard engine.settings.decodesContent, let value = head.value("Content-Encoding") else { return [] }
        guard head.status != 206, head.status != 204, head.status != 304, request.httpMethod != "HEAD" else {
            return []
        }
        return ContentCoding.parse(value) ?? []
    }

    // MARK: - The body

    /// Takes bytes as they come from the network.
    ///
    /// Answers `false` when the attempt is to end.
    func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if decoders.isEmpty { return take(bytes) }
        if isClientFull || isDecoderFull || !undecoded.isEmpty {
            undecoded.append(contentsOf: bytes)
            return true
        }
        return decode(bytes, from: 0)
    }

    /// Decodes through all codings, outermost first, until the input ends or the client is full.
    private func decode(_ input: UnsafeRawBufferPointer, from level: Int) -> Bool {
        guard level < decoders.count else { return take(input) }
        var rest = input
        let output =
            level == 0 ? engine.scratch : UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
        defer { if level > 0 { output.deallocate() } }
        while true {
            do throws(ContentDecoder.Failure) {
                let (consumed, produced) = try decoders[level].decode(rest, into: output)
                rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
                if produced > 0 {
                    guard decode(UnsafeRawBufferPointer(rebasing: output[..<produced]), from: level + 1) else {
                        return false
                    }
                }
                // A full output may hide more of it even where the input is used up.
                if rest.isEmpty, produced < output.count { return true }
                if consumed == 0, produced == 0 { throw ContentDecoder.Failure() }
            } catch {
                ownFailure = damagedCoding("is damaged")
                return false
            }
            if isClientFull, level == 0 {
                undecoded.append(contentsOf: rest)
                isDecoderFull = rest.isEmpty
                return true
            }
        }
    }

    /// Goes on with bytes that waited for room.
    func decodeWaiting() -> Bool {
        guard isDecoderFull || !undecoded.isEmpty, !isClientFull else { return true }
        let waiting = undecoded
        undecoded = []
        isDecoderFull = false
        return waiting.withUnsafeBytes { decode($0, from: 0) }
    }

    func damagedCoding(_ what: String) -> URLError {
        let error = CurlSessionError(.damagedContentCoding, "The response's content coding \(what)")
        return .ferry(.cannotDecodeContentData, url: request.url, underlying: error)
    }

    /// Hands decoded bytes to where they belong.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if redirection != nil { return hold(bytes) }
        if ignoresBody { return true }
        bodyReceived += Int64(bytes.count)
        switch sink {
        case .client, .hold:
            switch client?.transfer(didReceive: bytes) ?? .more {
            case .more: break
            case .wait: setClientFull(true)
            case .noMemory:
                ownFailure = .ferry(.dataLengthExceedsMaximum, url: request.url, "There is no memory for the response")
                return false
            }
        case .file(let file):
            do throws(URLError) {
                try file.write(bytes)
            } catch {
                ownFailure = error
                return false
            }
            client?.transfer(didWrite: Int64(bytes.count))
        }
        return true
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) -> Bool {
        redirection?.body.append(contentsOf: bytes)
        if let held = redirection, held.body.count >= Self.heldBodyLimit {
            setClientFull(true)
            askRedirection()
        }
        return true
    }

    func setClientFull(_ isFull: Bool) {
        isClientFull = isFull
        clock.pauseInactivity(isFull || isBodyStarved, at: .now())
    }
}
