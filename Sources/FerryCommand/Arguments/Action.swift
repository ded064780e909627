import Ferry

enum Action: Equatable, Sendable {
    /// There are no arguments.
    case showUsage
    case demonstrate
    case showHelp
    case showVersion
    case showCompletion(Completion)
    case fetch(FetchOptions)
    case webSocket(FetchOptions)
    case stream(StreamFormat, FetchOptions)
    case queue(QueueAction)

    var isTransfer: Bool { if case .fetch = self { true } else { false } }

    /// The name of an action that excludes all others on its command line; `nil` for other actions.
    var loneName: String? {
        switch self {
        case .demonstrate: "ferry demo"
        case .webSocket: "ferry ws"
        case .stream(let format, _): "--\(format.rawValue)"
        case .queue: "ferry queue"
        case .showUsage, .showHelp, .showVersion, .showCompletion, .fetch: nil
        }
    }
}

extension Action {
    init(parsing arguments: [String]) throws(UsageError) {
        if arguments.isEmpty || arguments == ["demo"] {
            self = arguments.isEmpty ? .showUsage : .demonstrate
            return
        }
        let isWebSocket = arguments.first == "ws"
        let isQueue = arguments.first == "queue"
        let rest = arguments.dropFirst(isWebSocket || isQueue ? 1 : 0)
        // The options of config files take the place of --config.
        var tokens = try ArgumentScanner.scan(Array(rest)).map { (token) throws(UsageError) in
            guard case .option(.config, let path?) = token else { return [token] }
            return try ConfigFile.tokens(inFile: path)
        }.flatMap(\.self)
        if isQueue {
            guard tokens.contains(where: \.isHelp) else {
                self = .queue(try QueueAction(parsing: tokens))
                return
            }
            // The other tokens belong to the text, not to a transfer.
            tokens = tokens.filter(\.isHelp)
        }
        var options = FetchOptions()
        var methodWord: String?
        for (token, kind) in zip(tokens, OperandKind.kinds(of: tokens)) {
            switch (token, kind) {
            case (_, .method(let word)?): methodWord = word
            case (_, .url(let text)?):
                options.urls.append(try isWebSocket ? URLArgument.parseWebSocket(text) : URLArgument.parse(text))
            case (_, .item(let item)?): try options.add(item)
            case (.option(.help, _), _):
                self = .showHelp
                return
            case (.option(.version, _), _):
                self = .showVersion
                return
            case (.option(.completion, let shell), _):
                self = .showCompletion(try Completion(parsing: shell ?? ""))
                return
            case (.option(let option, let value), _): try options.apply(option, value ?? "")
            case (.operand, nil): break
            }
        }
        if let methodWord {
            if options.method != nil { throw UsageError("--request and the method \(methodWord) cannot be combined") }
            try options.apply(.request, methodWord)
        }
        try options.check()
        if isWebSocket { try options.checkWebSocket() } else { try options.checkNoWebSocket() }
        if let format = options.streamFormat {
            try options.checkStream(format)
            self = .stream(format, options)
        } else {
            self = isWebSocket ? .webSocket(options) : .fetch(options)
        }
    }
}

/// An error in the arguments; the message is one sentence without a full stop.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) { self.message = message }

    /// Returns an argument in quotation marks for a message.
    static func quoted(_ argument: some StringProtocol) -> String { "'" + shown(argument) + "'" }

    /// Returns an argument for a message: not too long, and without the secrets that are recognized in it.
    static func shown(_ argument: some StringProtocol) -> String {
        let (longest, maximumColumns) = (1_000, 200)
        // A character may have any number of scalars.
        let start = String(PresentableText.argument(String(argument)).unicodeScalars.prefix(longest))
        return TextStyle.shortened(start, to: maximumColumns)
    }
}
