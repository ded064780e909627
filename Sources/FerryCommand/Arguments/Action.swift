import Ferry

/// The action that the arguments ask for.
enum Action: Equatable, Sendable {
    case demonstrate
    case showHelp
    case showVersion
    case fetch(FetchOptions)
}

extension Action {
    /// Parses the arguments that follow the command's name.
    init(parsing arguments: [String]) throws(UsageError) {
        guard !arguments.isEmpty else {
            self = .demonstrate
            return
        }
        var options = FetchOptions()
        for token in try ArgumentScanner.scan(arguments) {
            switch token {
            case .operand(let text): options.urls.append(try URLArgument.parse(text))
            case .option(.help, _):
                self = .showHelp
                return
            case .option(.version, _):
                self = .showVersion
                return
            case .option(let option, let value): try options.apply(option, value ?? "")
            }
        }
        try options.check()
        self = .fetch(options)
    }
}

extension FetchOptions {
    fileprivate mutating func apply(_ option: Option, _ value: String) throws(UsageError) {
        switch option {
        case .request:
            guard HeaderRule.isToken(value), value.uppercased() != "CONNECT" else {
                throw UsageError("'\(value)' is not a valid request method")
            }
            method = value
        case .header: headers.append(try HeaderLine(parsing: value))
        case .data: body.append(BodyPart(parsing: value))
        case .json: json.append(BodyPart(parsing: value))
        case .form: form.append(try FormField(parsing: value))
        case .uploadFile: uploadFile = try Self.notEmpty(value, option)
        case .user: try set(Credential(parsingUser: value))
        case .oauth2Bearer: try set(Credential(parsingToken: value))
        case .netrc: netrcFile = NetrcFile.defaultURL.path
        case .netrcFile: netrcFile = try Self.notEmpty(value, option)
        case .output: outputs.append(try Self.notEmpty(value, option))
        case .remoteName: usesRemoteNames = true
        case .continueDownload: continuesDownloads = true
        case .include: includesHead = true
        case .head: asksForHeadOnly = true
        case .location: followsRedirects = true
        case .noRedirect: followsRedirects = false
        case .timeout: timeout = try Self.seconds(value, option)
        case .maxTime: maxTime = try Self.seconds(value, option)
        case .connectTimeout: connectTimeout = try Self.seconds(value, option)
        case .deadline: deadline = try Self.seconds(value, option)
        case .caCertificate: certificateFile = try Self.notEmpty(value, option)
        case .pin:
            let pin = PublicKeyPin(value)
            guard pin.isValid else {
                throw UsageError("--pin takes the SHA-256 hash of a public key as sha256//BASE64, not '\(value)'")
            }
            pins.append(pin)
        case .proxy: proxy = try URLArgument.parseProxy(value)
        case .retry: retries = try Self.number(value, option, in: 0...1_000)
        case .retryMaxTime: retryMaxTime = try Self.seconds(value, option)
        case .retryAllErrors: retriesAllErrors = true
        case .parallel: parallel = try Self.number(value, option, in: 1...256)
        case .batch: batchFile = try Self.notEmpty(value, option)
        case .fail: dropsErrorBodies = true
        case .writeOut: writeOut = try WriteOutFormat(parsing: try Self.textOrFile(value))
        case .timings: showsTimings = true
        case .jsonLog: eventLog = try Self.notEmpty(value, option)
        case .timeline: timeline = try TimelineFile(path: try Self.notEmpty(value, option))
        case .silent: isSilent = true
        case .verbose: isVerbose = true
        case .version, .help: break
        }
    }

    private mutating func set(_ credential: Credential) throws(UsageError) {
        if let other = self.credential?.option, other != credential.option {
            throw UsageError("--\(other.rawValue) and --\(credential.option.rawValue) cannot be combined")
        }
        self.credential = credential
    }

    private static func notEmpty(_ value: String, _ option: Option) throws(UsageError) -> String {
        guard !value.isEmpty, !value.utf8.contains(0) else {
            throw UsageError("--\(option.rawValue) needs a file name")
        }
        return value
    }

    /// Returns the value itself, or the contents of the file that it names after an `@`.
    private static func textOrFile(_ value: String) throws(UsageError) -> String {
        guard case .file(let path) = BodyPart(parsing: value) else { return value }
        do throws(CommandFailure) {
            return String(decoding: try UploadBody.content(path), as: UTF8.self)
        } catch {
            throw UsageError(error.message)
        }
    }

    private static func number(
        _ value: String,
        _ option: Option,
        in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            let limits = "from \(range.lowerBound) to \(range.upperBound)"
            throw UsageError("--\(option.rawValue) takes a number \(limits), not '\(value)'")
        }
        return number
    }

    private static func seconds(_ value: String, _ option: Option) throws(UsageError) -> Double {
        let longest = 1e9
        guard let seconds = Double(value), seconds.isFinite, (0...longest).contains(seconds) else {
            throw UsageError("--\(option.rawValue) takes seconds such as 2.5, not '\(value)'")
        }
        return seconds
    }

    /// Checks the options against each other.
    fileprivate func check() throws(UsageError) {
        guard !urls.isEmpty || batchFile != nil else { throw UsageError("There is no URL") }
        guard outputs.isEmpty || batchFile == nil else {
            throw UsageError("--output cannot be combined with --batch; use --remote-name")
        }
        guard outputs.count <= urls.count else {
            throw UsageError("There are more --output options (\(outputs.count)) than URLs (\(urls.count))")
        }
        let bodies = bodyOptions
        if bodies.count > 1 {
            throw UsageError("--\(bodies[0].rawValue) and --\(bodies[1].rawValue) cannot be combined")
        }
        if asksForHeadOnly, let body = bodies.first {
            throw UsageError("--head sends no body and cannot be combined with --\(body.rawValue)")
        }
        if let credential, let field = headers.first(where: { $0.name.lowercased() == "authorization" }) {
            throw UsageError("--\(credential.option.rawValue) sets the header field \(field.name) itself")
        }
        if retries == nil,
            let other = retryMaxTime != nil ? Option.retryMaxTime : retriesAllErrors ? .retryAllErrors : nil
        {
            throw UsageError("--\(other.rawValue) needs --retry")
        }
        if logsToStandardError, let other = showsTimings ? Option.timings : isVerbose ? .verbose : nil {
            throw UsageError("--\(other.rawValue) would write into the --json-log on standard error; log to a file")
        }
        try checkContinuation()
    }

    private func checkContinuation() throws(UsageError) {
        guard continuesDownloads else { return }
        guard effectiveMethod == "GET", bodyOptions.isEmpty, !includesHead else {
            throw UsageError("--continue needs a plain GET into a file, without --include")
        }
        let ownRange = headers.first { ["range", "if-range"].contains($0.name.lowercased()) }
        if let ownRange { throw UsageError("--continue sets the header field \(ownRange.name) itself") }
        let areNamed = batchFile == nil && urls.indices.allSatisfy { destination(at: $0) != .standardOutput }
        let areFiles = usesRemoteNames || areNamed
        guard areFiles else { throw UsageError("--continue needs a file: --output or --remote-name") }
    }
}

/// An error in the arguments; the message is one sentence without a full stop.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) { self.message = message }
}
