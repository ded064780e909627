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
        try checkOptions()
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
    private func checkOptions() throws(UsageError) {
        var others = options
        let none = FetchOptions()
        (others.isSilent, others.urls) = (none.isSilent, none.urls)
        switch verb {
        case .add:
            (others.outputs, others.outputFolder) = ([], nil)
            (others.headers, others.batchFile) = ([], nil)
            if options.uploadFile == nil {
                (others.connections, others.mirrors, others.checksum) = (nil, [], nil)
            } else {
                (others.uploadFile, others.method) = (nil, nil)
            }
        case .run:
            (others.rate, others.retries, others.parallelMax) = (nil, nil, nil)
            (others.timeout, others.connectTimeout, others.netrcFile) = (none.timeout, nil, nil)
            (others.certificateFile, others.acceptsAnyCertificate) = (nil, false)
            (others.clientCertificate, others.keyFile, others.pins) = (nil, nil, [])
            (others.proxy, others.addresses, others.ipVersion) = (nil, [:], none.ipVersion)
            others.resolverURL = nil
            (others.localEndpoint, others.httpVersions, others.unixSocket) = (nil, none.httpVersions, nil)
        case .list, .pause, .resume, .remove: break
        }
        guard others == none else {
            throw UsageError("An option has no effect in ferry queue \(verb.rawValue); the manual lists those that do")
        }
    }
}
