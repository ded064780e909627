extension FetchOptions {
    /// Checks the options against each other.
    func check() throws(UsageError) {
        guard !urls.isEmpty || batchFile != nil else { throw UsageError("There is no URL") }
        guard !hasOutputNames || batchFile == nil else {
            throw UsageError("--output cannot be combined with --batch; use --remote-name")
        }
        try checkOutputs()
        let limit = 1_000
        guard headers.count <= limit else { throw UsageError("There are more than \(limit) header fields") }
        // A server has to refuse a request with several hosts (RFC 9112, section 3.2).
        guard headers.count(where: { $0.name.lowercased() == "host" }) <= 1 else {
            throw UsageError("The header field Host can be given only once")
        }
        let bodies = bodyOptions
        if bodies.count > 1 {
            throw UsageError("--\(bodies[0].rawValue) and --\(bodies[1].rawValue) cannot be combined")
        }
        try checkItems()
        if asksForHeadOnly, let body = bodies.first {
            throw UsageError("--head sends no body and cannot be combined with --\(body.rawValue)")
        }
        if sendsDataInQuery, let other = bodies.first {
            throw UsageError("--get sends no body and cannot be combined with --\(other.rawValue)")
        }
        if dropsErrorBodies, savesErrorBodies {
            throw UsageError("--fail and --fail-with-body cannot be combined")
        }
        if keyFile != nil {
            guard let clientCertificate else { throw UsageError("--key needs --cert") }
            if clientCertificate.isPKCS12 { throw UsageError("A PKCS#12 file has its own key; omit --key") }
        }
        if let credential, let field = headers.first(where: { $0.name.lowercased() == "authorization" }) {
            throw UsageError("--\(credential.option.rawValue) sets the header field \(field.name) itself")
        }
        if usesDigest, credential?.option != .user { throw UsageError("--digest needs --user") }
        let retryOptions = Self.given([
            .retryMaxTime: retryMaxTime != nil, .retryAllErrors: retriesAllErrors, .retryDelay: retryDelay != nil,
        ])
        if retries == nil, let other = retryOptions.first {
            throw UsageError("--\(other.rawValue) needs --retry")
        }
        if logsToStandardError, let other = showsTimings ? Option.timings : isVerbose ? .verbose : nil {
            throw UsageError("--\(other.rawValue) would write into the --json-log on standard error; log to a file")
        }
        try checkContinuation()
        try checkVerified()
        if let missingFile { throw UsageError(missingFile) }
    }

    /// Checks that each `-o` has a URL; an `-O` need not have one.
    func checkOutputs() throws(UsageError) {
        let count = outputs.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
        guard count <= urls.count else {
            throw UsageError("There are more --output and --remote-name options (\(count)) than URLs (\(urls.count))")
        }
    }

    /// The error if a body goes to standard output although an option requires a file.
    ///
    /// The URLs of a batch and their names are known only when it has been read.
    var missingFile: String? {
        let needing: [Option] = (continuesDownloads ? [.continueDownload] : []) + verifiedOptions
        guard let option = needing.first, hasStandardOutput else { return nil }
        return "--\(option.rawValue) needs a file: --output or --remote-name"
    }

    private func checkVerified() throws(UsageError) {
        guard let option = verifiedOptions.first else { return }
        let name = "--" + option.rawValue
        let others = Self.given([
            .digest: usesDigest, .compressed: asksForCompression, .dumpHeader: headFile != nil,
            .failWithBody: savesErrorBodies, .noRedirect: !followsRedirects, .timeCondition: timeCondition != nil,
            // Its requests are not reported one by one.
            .writeOut: writeOut != nil, .timings: showsTimings, .timeline: timeline != nil,
        ])
        if let other = others.first {
            throw UsageError("\(name) and --\(other.rawValue) cannot be combined")
        }
        guard canContinue else { throw UsageError("\(name) needs a plain GET into a file, without --include") }
        guard option == .connections && verifiedOptions.count == 1 || urls.count == 1 && batchFile == nil else {
            throw UsageError("--\(verifiedOptions.last?.rawValue ?? "") belongs to one URL, and there are others")
        }
    }

    private func checkItems() throws(UsageError) {
        guard hasDataItems else {
            if wantsForm { throw UsageError("--as-form needs items such as name=value after the URL") }
            return
        }
        let others = bodyOptions + (sendsDataInQuery ? [.get] : []) + (asksForHeadOnly ? [.head] : [])
        if let other = others.first {
            throw UsageError("Items such as name=value and --\(other.rawValue) cannot be combined")
        }
        for item in items {
            switch item.kind {
            case .json, .jsonFile:
                if sendsItemsAsForm { throw UsageError("The item \(item.name) is JSON and cannot be a part of a form") }
            case .text, .textFile:
                // HTTPie would make nested objects, so the name is not taken literally.
                if !sendsItemsAsForm, item.name.contains("[") {
                    throw UsageError("The item \(item.name) is nested, which only --json can send")
                }
            case .field, .query, .file: break
            }
        }
    }

    private func checkContinuation() throws(UsageError) {
        guard continuesDownloads else { return }
        if let ownRange { throw UsageError("--continue sets the header field \(ownRange.name) itself") }
        if timeCondition != nil { throw UsageError("--continue cannot be used with --time-cond") }
        guard canContinue else { throw UsageError("--continue needs a plain GET into a file, without --include") }
    }

    /// Checks the options of `--sse` and `--lines`.
    func checkStream(_ format: StreamFormat) throws(UsageError) {
        guard urls.count == 1, batchFile == nil else { throw UsageError("--\(format.rawValue) takes one URL") }
        let others = Self.given([
            .output: hasOutputNames, .remoteName: usesRemoteNames, .head: asksForHeadOnly, .include: includesHead,
            .dumpHeader: headFile != nil, .writeOut: writeOut != nil, .form: !form.isEmpty,
            .uploadFile: uploadFile != nil, .timings: showsTimings, .timeline: timeline != nil, .limitRate: rate != nil,
            .continueDownload: continuesDownloads, .noRedirect: !followsRedirects, .digest: usesDigest,
            .cookieJar: cookieJar != nil,
        ])
        if let other = others.first {
            throw UsageError("--\(format.rawValue) and --\(other.rawValue) cannot be combined")
        }
        if setsReferer { throw UsageError("--\(format.rawValue) and ;auto of --referer cannot be combined") }
    }

    func checkWebSocket() throws(UsageError) {
        guard urls.count == 1, batchFile == nil else { throw UsageError("ferry ws takes one URL") }
        let others = Self.given([
            .request: method != nil, .output: hasOutputNames, .remoteName: usesRemoteNames, .get: sendsDataInQuery,
            .head: asksForHeadOnly, .serverSentEvents: streamFormat == .events, .lines: streamFormat == .lines,
            .include: includesHead, .dumpHeader: headFile != nil, .writeOut: writeOut != nil, .timings: showsTimings,
            .timeline: timeline != nil, .jsonLog: eventLog != nil, .cookieJar: cookieJar != nil,
            .continueDownload: continuesDownloads, .noRedirect: !followsRedirects, .digest: usesDigest,
        ])
        if let other = bodyOptions.first ?? others.first {
            throw UsageError("--\(other.rawValue) is not an option of ferry ws")
        }
        if !items.isEmpty { throw UsageError("ferry ws takes no items; header fields are given with --header") }
    }

    func checkNoWebSocket() throws(UsageError) {
        if pingInterval != nil { throw UsageError("--ping is an option of ferry ws") }
        if isBinary { throw UsageError("--binary is an option of ferry ws") }
    }
}
