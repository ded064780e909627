import Ferry

/// The action of `ferry queue` on the queue in the folder of `--dir`.
struct QueueAction: Equatable, Sendable {
    enum Verb: String, CaseIterable, Sendable {
        case add, list, run, pause, resume, remove
    }

    var verb: Verb
    var folder: String
    /// The options, and for `add` the URLs.
    var options: FetchOptions
    /// The numbers of the transfers; none for all of them.
    var ids: [Int] = []
    var removesFinished = false

    init(parsing tokens: [ArgumentScanner.Token]) throws(UsageError) {
        var operands: [String] = []
        var folder: String?
        options = FetchOptions()
        for token in tokens {
            switch token {
            case .operand(let text): operands.append(text)
            case .option(.queueFolder, let path): folder = path
            case .option(let option, let value): try options.apply(option, value ?? "")
            }
        }
        let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")
        guard let word = operands.first else { throw UsageError("ferry queue takes one of \(verbs)") }
        guard let verb = Verb(rawValue: word) else {
            throw UsageError("ferry queue takes one of \(verbs), not \(UsageError.quoted(word))")
        }
        guard let folder, !folder.isEmpty else {
            throw UsageError("ferry queue needs --dir with the folder of the queue")
        }
        (self.verb, self.folder) = (verb, folder)
        let rest = operands.dropFirst()
        switch verb {
        case .add: try setURLs(rest)
        case .list, .run:
            guard rest.isEmpty, options.urls.isEmpty else { throw UsageError("ferry queue \(verb) takes no operands") }
        case .remove where Array(rest) == ["finished"]: removesFinished = true
        case .pause, .resume, .remove:
            guard verb != .remove || !rest.isEmpty else {
                throw UsageError("ferry queue remove takes the numbers of transfers, or finished")
            }
            for text in rest {
                guard let id = Int(text), id > 0 else {
                    throw UsageError("\(UsageError.quoted(text)) is not the number of a transfer")
                }
                ids.append(id)
            }
        }
        try checkOptions(tokens.compactMap(\.option))
    }

    private mutating func setURLs(_ texts: ArraySlice<String>) throws(UsageError) {
        for text in texts { options.urls.append(try URLArgument.parse(text)) }
        guard !options.urls.isEmpty || options.batchFile != nil else { throw UsageError("There is no URL") }
        try options.checkOutputs()
        guard options.uploadFile == nil || (!options.hasOutputNames && options.urls.count == 1) else {
            throw UsageError("--upload-file takes one URL, and no --output")
        }
        let isOne = options.urls.count == 1 && options.batchFile == nil
        guard isOne || (options.checksum == nil && options.mirrors.isEmpty) else {
            throw UsageError("--checksum and --mirror belong to one URL, and there are others")
        }
        guard options.outputs.allSatisfy({ $0 != "-" }) else { throw UsageError("ferry queue cannot write to -") }
        if let field = options.headers.first(where: { SecretName.isSecret($0.name) }) {
            throw UsageError("The queue keeps no secrets such as \(field.name); use --netrc with ferry queue run")
        }
        if let field = options.headers.first(where: { $0.value == nil }) {
            throw UsageError("ferry queue cannot leave out a header field such as \(field.name)")
        }
        try Self.checkUsers(options.urls + options.mirrors)
    }

    /// Refuses URLs with a user or a password.
    static func checkUsers(_ urls: [URL]) throws(UsageError) {
        guard urls.contains(where: { $0.user != nil || $0.password != nil }) else { return }
        throw UsageError("The queue keeps no secrets such as the user of a URL; use --netrc with ferry queue run")
    }

    /// Refuses the options that would have no effect.
    private func checkOptions(_ given: [Option]) throws(UsageError) {
        var useful: Set<Option> = [
            .queueFolder, .url, .silent, .showError, .location, .remoteHeaderName, .noBuffer, .globOff, .disable,
        ]
        switch verb {
        case .add:
            useful.formUnion([.output, .remoteName, .outputFolder, .header, .batch])
            useful.formUnion(options.uploadFile == nil ? [.connections, .mirror, .checksum] : [.uploadFile, .request])
        case .run:
            useful.formUnion([
                .limitRate, .retry, .parallel, .parallelMax, .timeout, .connectTimeout, .netrc, .netrcFile,
                .caCertificate, .insecure, .certificate, .key, .pin, .proxy, .resolve, .resolverURL, .ipv4, .ipv6,
                .interface, .http1, .http2, .http2PriorKnowledge, .http3, .http3Only, .unixSocket,
            ])
        case .list, .pause, .resume, .remove: break
        }
        guard let other = given.first(where: { !useful.contains($0) }) else { return }
        let text = "--\(other.rawValue) has no effect in ferry queue \(verb)"
        throw UsageError(text + "; the manual lists the options that do")
    }
}
