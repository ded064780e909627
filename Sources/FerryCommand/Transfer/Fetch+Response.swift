import Ferry

// Writing the response to its destination.
extension Fetch {
    /// Writes the response head and body to the target; throws a `CommandFailure` for an HTTP error or a redirect that
    /// is not followed, after the body has been written or skipped.
    func deliver(_ bytes: CurlSession.Bytes, _ response: HTTPURLResponse) async throws {
        let isError = response.statusCode >= 400 || options.refusedRedirect(response, from: url) != nil
        // A file that has not been modified stays as it is.
        let isUnmodified = response.statusCode == 304 && !options.writesHead
        let isWanted = !isUnmodified && (!isError || options.savesErrorBodies)
        if case .unnamed = target, isWanted { target = .part(try openNamed(response)) }
        switch target {
        case .stream(let output):
            if options.writesHead { try await output.write(HeadText.data(of: response), until: deadline) }
            guard !isError || !options.dropsErrorBodies else { break }
            let isTerminal = output === OutputDescriptor.standardOutput && isatty(STDOUT_FILENO) == 1
            var check = isTerminal && !options.writesBinary(at: index) ? BinaryCheck() : nil
            var indenter = isTerminal && response.isJSON ? JSONIndenter(style: Terminal(STDOUT_FILENO).style) : nil
            do {
                try await receive(bytes, response) { data in
                    try check?.check(data)
                    try await output.write(indenter?.take(data) ?? data, until: deadline)
                }
            } catch let failure {
                // The part that has been received is shown, as with any other body.
                if let rest = indenter?.finish(), (failure as? CommandFailure)?.status != .brokenPipe {
                    try await output.write(rest, until: deadline)
                }
                throw failure
            }
            if let rest = indenter?.finish() { try await output.write(rest, until: deadline) }
        case .part(let part) where isWanted:
            try part.begin(record(for: response))
            try await receive(bytes, response, into: part)
        case .part(let part) where isUnmodified: _ = part.abandon()
        case .part, .unnamed: break
        }
        guard isError else { return }
        await drain(bytes, response)
        throw failure(for: response)
    }

    /// Returns the failure for a response that is an HTTP error or a redirect that is not followed.
    func failure(for response: HTTPURLResponse) -> CommandFailure {
        options.refusedRedirect(response, from: url) ?? CommandFailure.http(response, url)
    }

    private func openNamed(_ response: HTTPURLResponse) throws(CommandFailure) -> PartFile {
        let choice = FileName.choose(url, response)
        let part = try PartFile(options.path(of: choice.name), mayReplace: !choice.isServersChoice)
        // A file of the same name that another URL has begun is kept, as with -o.
        if options.continuesDownloads { try Target.part(part).checkOrigin(url) }
        item?.rename(choice.name)
        return part
    }

    private func record(for response: HTTPURLResponse) -> PartRecord {
        let mayContinue = options.canContinue && response.statusCode < 400
        var request = URLRequest(url: url)
        request.httpMethod = options.effectiveMethod
        let length = response.expectedContentLength
        // Without a body, Content-Length is that of the body that a GET would have (RFC 9110, section 8.6).
        let hasBody = options.effectiveMethod != "HEAD" && ![204, 304].contains(response.statusCode)
        return PartRecord(
            url: url.withoutCredentials,
            validator: mayContinue ? ContinuationRule.validator(for: response, request: request) : nil,
            length: options.writesHead || !hasBody || length < 0 ? nil : length
        )
    }

    func receive(_ bytes: CurlSession.Bytes, _ response: HTTPURLResponse, into part: PartFile) async throws {
        if options.writesHead { try part.append(HeadText.data(of: response)) }
        try await receive(bytes, response, offset: part.size) { try part.append($0) }
        setTime(of: part, response)
        try part.publish()
    }

    /// Sets the time of a complete file to `Last-Modified` if `-R` asks for it, or prints why that is not possible.
    func setTime(of part: PartFile, _ response: HTTPURLResponse) {
        guard options.keepsRemoteTime, let field = response.value(forHTTPHeaderField: "Last-Modified"),
            let date = HTTPDate.parse(field)
        else { return }
        do throws(CommandFailure) {
            try part.setModificationDate(date)
        } catch {
            // Not every file system can store every time, and the file itself is complete.
            context.console.note(error.message)
        }
    }

    private func receive(
        _ bytes: CurlSession.Bytes,
        _ response: HTTPURLResponse,
        offset: Int64 = 0,
        write: (Data) async throws -> Void
    ) async throws {
        // With -I and another method than HEAD, the server sends a body, which is left unread as in curl.
        if options.asksForHeadOnly, options.effectiveMethod != "HEAD" { return }
        let expected = options.asksForHeadOnly ? 0 : response.expectedContentLength
        // A server may announce any length.
        let (sum, isTooLarge) = offset.addingReportingOverflow(expected)
        let total = expected < 0 || isTooLarge ? nil : sum
        item?.begin(at: offset, of: total)
        var received = offset
        for try await chunk in bytes.chunks {
            try await write(chunk)
            received += Int64(chunk.count)
            item?.update(received)
            context.log?.progress(index, "down", received, of: total)
        }
        context.console.verbose([clock.summary(received: received - offset)])
    }

    /// Reads and discards a small body, for up to a second, so that the connection can be reused for the next request.
    private func drain(_ bytes: CurlSession.Bytes, _ response: HTTPURLResponse) async {
        let most: Int64 = 65_536
        guard (0...most).contains(response.expectedContentLength) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // An error of the body is ignored, because the status is reported in any case.
                do { for try await _ in bytes.chunks {} } catch {}
            }
            group.addTask {
                do { try await Task.sleep(for: .seconds(1)) } catch {}
            }
            await group.next()
            group.cancelAll()
        }
    }
}

/// Measures the time to the response head and to the end of the body.
struct FetchClock {
    private let startedAt = ContinuousClock.now
    var headAt: ContinuousClock.Instant?

    /// Returns the line of `-v` that follows the body: the times of the head and the body, the body's size and rate.
    func summary(received: Int64) -> String {
        let now = ContinuousClock.now
        let whole = (now - startedAt) / .seconds(1)
        let head = headAt.map { ($0 - startedAt) / .seconds(1) } ?? whole
        let body = max(whole - head, 0)
        let rate = body > 0 ? ", " + ByteText.rate(Double(received) / body) : ""
        return "* head after \(ByteText.elapsed(head)), \(ByteText.text(received)) of body in "
            + "\(ByteText.elapsed(body))\(rate), total \(ByteText.elapsed(whole))"
    }
}
