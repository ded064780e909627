import Ferry
import FerryTransfers

extension FetchOptions {
    mutating func apply(_ option: Option, _ value: String) throws(UsageError) {
        switch option {
        case .url: urls.append(try URLArgument.parse(value))
        case .request:
            guard HeaderRule.isToken(value), value.uppercased() != "CONNECT" else {
                throw UsageError("\(UsageError.quoted(value)) is not a valid request method")
            }
            method = value
        case .header: headers.append(try HeaderLine(parsing: value))
        case .userAgent: try setHeader("User-Agent", value)
        case .referer:
            let automatic = ";auto"
            setsReferer = value.hasSuffix(automatic)
            try setHeader("Referer", setsReferer ? String(value.dropLast(automatic.count)) : value)
        case .range: try setHeader("Range", try Self.range(value))
        case .compressed: asksForCompression = true
        case .data: body.append(BodyPart(parsingData: value))
        case .dataRaw: body.append(.text(value))
        case .dataBinary: body.append(BodyPart(parsing: value))
        case .dataURLEncode: body.append(BodyPart(parsingEncoded: value))
        case .get: sendsDataInQuery = true
        case .json: json.append(BodyPart(parsing: value))
        case .form: form.append(try FormField(parsing: value))
        case .asForm: wantsForm = true
        case .uploadFile: uploadFile = try Self.notEmpty(value, option)
        case .timeCondition: try setTimeCondition(value)
        case .user: try set(Credential(parsingUser: value))
        case .digest: usesDigest = true
        case .oauth2Bearer: try set(Credential(parsingToken: value))
        case .netrc: netrcFile = NetrcFile.defaultURL.path
        case .netrcFile: netrcFile = try Self.notEmpty(value, option)
        case .cookie: try addCookie(value)
        case .cookieJar: cookieJar = try Self.notEmpty(value, option)
        case .output: outputs.append(try Self.notEmpty(value, option))
        case .remoteName: outputs.append(nil)
        case .remoteTime: keepsRemoteTime = true
        case .outputFolder: outputFolder = try Self.notEmpty(value, option)
        case .createFolders: createsFolders = true
        case .continueDownload: continuesDownloads = true
        case .connections: connections = try Self.number(value, option, in: 1...64)
        case .mirror: mirrors.append(try URLArgument.parse(value))
        case .checksum:
            guard let digest = ContentDigest(value) else {
                throw UsageError("--checksum takes sha-256=HEX or sha-512=HEX, not \(UsageError.quoted(value))")
            }
            checksum = digest
        case .include: includesHead = true
        case .dumpHeader: headFile = try Self.notEmpty(value, option)
        case .head: asksForHeadOnly = true
        case .location: followsRedirects = true
        case .noRedirect: followsRedirects = false
        case .maxRedirects:
            let count = try Self.number(value, option, in: -1...1_000_000)
            maxRedirects = count < 0 ? .max : count
        case .timeout: timeout = try Self.seconds(value, option)
        case .maxTime: maxTime = try Self.seconds(value, option)
        case .connectTimeout: connectTimeout = try Self.seconds(value, option)
        case .deadline: deadline = try Self.seconds(value, option)
        case .caCertificate: certificateFile = try Self.notEmpty(value, option)
        case .insecure: acceptsAnyCertificate = true
        case .certificate: clientCertificate = try CertificateArgument(parsing: value)
        case .key: keyFile = try Self.notEmpty(value, option)
        case .pin:
            let pin = PublicKeyPin(value)
            guard pin.isValid else {
                let form = "the SHA-256 hash of a public key as sha256//BASE64"
                throw UsageError("--pin takes \(form), not \(UsageError.quoted(value))")
            }
            pins.append(pin)
        case .proxy: proxy = value.isEmpty ? ProxyArgument.none : .server(try URLArgument.parseProxy(value))
        case .resolve:
            let resolution = try ResolveArgument(parsing: value)
            addresses[resolution.key] = resolution.addresses
        case .resolverURL:
            guard let url = URL(string: value), url.scheme == "https", url.host?.isEmpty == false else {
                throw UsageError("--doh-url takes an https URL, not \(UsageError.quoted(value))")
            }
            resolverURL = url
        case .ipv4: ipVersion = .v4
        case .ipv6: ipVersion = .v6
        case .interface: localEndpoint = NetworkOptions.LocalEndpoint(parsing: value)
        case .http1: httpVersions = .http1
        // As in curl, HTTP/1.1 is used where the server has no HTTP/2.
        case .http2: httpVersions = .automatic
        case .http2PriorKnowledge: httpVersions = .http2PriorKnowledge
        case .http3: httpVersions = .http3
        case .http3Only: httpVersions = .http3Only
        case .limitRate: rate = try Self.rate(value)
        case .ping: pingInterval = try Self.seconds(value, option)
        case .binary: isBinary = true
        case .serverSentEvents: streamFormat = .events
        case .lines: streamFormat = .lines
        case .unixSocket: unixSocket = try Self.notEmpty(value, option)
        case .retry: retries = try Self.number(value, option, in: 0...1_000)
        case .retryDelay: retryDelay = try Self.seconds(value, option)
        case .retryMaxTime: retryMaxTime = try Self.seconds(value, option)
        case .retryAllErrors: retriesAllErrors = true
        case .parallel: parallelMax = parallelMax ?? 50
        case .parallelMax: parallelMax = try Self.number(value, option, in: 1...256)
        case .queueFolder: throw UsageError("--dir is an option of ferry queue")
        case .batch: batchFile = try Self.notEmpty(value, option)
        case .fail: dropsErrorBodies = true
        case .failWithBody: savesErrorBodies = true
        case .writeOut: writeOut = try WriteOutFormat(parsing: try Self.textOrFile(value))
        case .timings: showsTimings = true
        case .jsonLog: eventLog = try Self.notEmpty(value, option)
        case .timeline: timeline = try TimelineFile(path: try Self.notEmpty(value, option))
        case .silent: isSilent = true
        case .verbose: isVerbose = true
        // These options are the defaults, or were handled before.
        case .remoteHeaderName, .noBuffer, .globOff, .disable, .showError, .next, .config, .completion, .version, .help:
            break
        }
    }

    /// Sets a field of `-A`, `-e` or `-r`; an empty value leaves it out.
    private mutating func setHeader(_ name: String, _ value: String) throws(UsageError) {
        ownHeaders.removeAll { $0.name == name }
        ownHeaders.append(try HeaderLine(checking: name, value.isEmpty ? nil : value))
    }

    /// Sets the field of `-z`.
    private mutating func setTimeCondition(_ value: String) throws(UsageError) {
        let condition = TimeCondition(parsing: value)
        for name in TimeCondition.names { ownHeaders.removeAll { $0.name == name } }
        if let date = condition.date { try setHeader(condition.name, HTTPDate.string(from: date)) }
        timeCondition = condition
    }

    /// Adds the cookies or the file of `-b`; an empty value is neither, as in curl.
    private mutating func addCookie(_ value: String) throws(UsageError) {
        guard value.hasPrefix("@") || !value.contains("=") else {
            // The value is a secret, which no message may contain.
            guard HeaderRule.isValue(value) else { throw UsageError("The value of --cookie has a line break") }
            return cookies.append(value)
        }
        let path = value.hasPrefix("@") ? String(value.dropFirst()) : value
        if !path.isEmpty { cookieFiles.append(try Self.notEmpty(path, .cookie)) }
    }

    /// Returns the bytes per second of a rate such as `500k`, in multiples of 1024 as in curl; `nil` for zero.
    private static func rate(_ value: String) throws(UsageError) -> Int? {
        let units = ["k": 1_024, "m": 1_048_576, "g": 1_073_741_824]
        let unit = value.last.flatMap { units[$0.lowercased()] }
        let number = Double(unit == nil ? value : String(value.dropLast()))
        guard let rate = number.map({ $0 * Double(unit ?? 1) }), rate >= 0, rate <= 1e15 else {
            throw UsageError("--limit-rate takes bytes per second such as 500k or 2M, not \(UsageError.quoted(value))")
        }
        return rate == 0 ? nil : max(1, Int(rate))
    }

    /// Returns the value of `Range` for ranges such as `0-499`; a number alone begins a range, as in curl.
    private static func range(_ value: String) throws(UsageError) -> String {
        guard !value.isEmpty, value.utf8.allSatisfy({ "0123456789-,".utf8.contains($0) }) else {
            throw UsageError("--range takes ranges of bytes such as 0-499, not \(UsageError.quoted(value))")
        }
        return "bytes=" + (value.contains("-") ? value : value + "-")
    }

    mutating func add(_ item: RequestItem) throws(UsageError) {
        let name = item.name
        if item.kind == .field {
            return headers.append(try HeaderLine(checking: name, item.value.isEmpty ? nil : item.value))
        }
        if item.kind == .json, !UploadBody.isJSON(item.value) {
            throw UsageError("The value of \(name) is not JSON; write \(name)=TEXT for a string")
        }
        items.append(item)
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

    /// Returns the value itself, or the contents of the file that follows an `@`.
    private static func textOrFile(_ value: String) throws(UsageError) -> String {
        guard case .file(let path) = BodyPart(parsing: value) else { return value }
        do throws(CommandFailure) {
            return try UploadBody.text(path)
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
            throw UsageError("--\(option.rawValue) takes a number \(limits), not \(UsageError.quoted(value))")
        }
        return number
    }

    private static func seconds(_ value: String, _ option: Option) throws(UsageError) -> Double {
        let longest = 1e9
        guard let seconds = Double(value), seconds.isFinite, (0...longest).contains(seconds) else {
            throw UsageError("--\(option.rawValue) takes seconds such as 2.5, not \(UsageError.quoted(value))")
        }
        return seconds
    }
}
