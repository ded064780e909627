/// A request as it goes to libcurl, with everything checked that could break the message.
struct PreparedRequest: Sendable {
    let url: String
    let origin: Origin
    let method: String
    /// `Name: value` lines.
    let headers: [String]
    /// The number of lines at the end of ``headers`` that are not of the request's own fields.
    let commonCount: Int
    /// Lines for a proxy alone.
    let proxyHeaders: [String]
    /// The length the request announces for its body, where it does.
    let announcedLength: Int64?
    /// Whether the fields are those of every request, which mean nothing to a cache.
    let isPlain: Bool
    /// Whether the request's fields may have something to say about caching.
    let mentionsCaching: Bool
    let expectsContinue: Bool
    let hasUserInfo: Bool
    /// Whether the fields have credentials, or what the session's options call sensitive.
    let hasSecrets: Bool

    /// What the exchange so far means for a request.
    struct Context: Sendable {
        var hasBody = false
        /// The body has content: it is neither missing nor empty data.
        var isBodyGiven = false
        var isStreamed = false
        /// A redirection led to another origin: the session's own credentials stay behind, too.
        var hasLeftOrigin = false
        /// The server has refused the expectation.
        var dropsExpectation = false
        /// A credential that was asked for goes before those of the URL and of the header.
        var hasCredential = false
    }

    /// Checks a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - replacements: Header fields that replace the request's.
    ///   - settings: The settings of the session.
    ///   - context: What the exchange so far means for the request.
    /// - Throws: The reason why the request cannot be sent.
    init(
        _ request: URLRequest,
        setting replacements: [HeaderField] = [],
        settings: EngineSettings,
        context: Context
    ) throws(URLError) {
        guard let url = request.url else { throw .ferry(.unsupportedURL, url: nil, "The request has no URL") }
        guard let scheme = url.scheme?.folded, scheme == "http" || scheme == "https" else {
            let text =
                "The scheme is neither http nor https, and no class of the configuration's protocolClasses or of "
                + "CurlSession.registerProtocolClass takes it: \(url.presentableText)"
            throw .ferry(.unsupportedURL, url: url, text)
        }
        // libcurl receives the host that all decisions are made on, so that no spelling can divide the two.
        let text = (context.hasCredential ? url.presentable : url).absoluteString
        guard let authority = Authority(text), !authority.host.isEmpty else {
            throw .ferry(.badURL, url: url, "The URL has no host: \(url.presentableText)")
        }
        let place = authority.host
        let host = try Self.host(String(text[place]), url)
        if let port = url.port, !(1...65_535).contains(port) {
            let code: URLError.Code = port == 0 ? .cannotConnectToHost : .badURL
            throw .ferry(code, url: url, "The port is out of range: \(port)")
        }
        let method = request.httpMethod ?? "GET"
        guard HeaderRule.isToken(method), method != "CONNECT" else {
            let text = "The method is not one a request can have: \(method)"
            throw .ferry(.badURL, url: url, reason: .invalidMethod, text)
        }
        let fields = try Self.fields(request, replacements, settings, context, url)
        // Other bodies have a length of their own; a stream has none but this.
        if context.isStreamed, let length = fields.contentLength, fields.announcedLength == nil {
            let text = "The Content-Length of the body's stream is no number: \(length)"
            throw .ferry(.badURL, url: url, reason: .invalidHeader, text)
        }
        let hostText = host.urlText
        self.url = text[place] == hostText ? text : text.replacingCharacters(in: place, with: hostText)
        origin = Origin(scheme: scheme, host: host, port: url.port)
        self.method = method
        announcedLength = fields.announcedLength
        hasSecrets = fields.hasSecrets
        hasUserInfo = !authority.userInfo.isEmpty
        isPlain = fields.list.isEmpty && !context.hasBody
        guard !isPlain else {
            (expectsContinue, mentionsCaching) = (false, false)
            (headers, commonCount, proxyHeaders) = (settings.plainLines, settings.plainLines.count, [])
            return
        }
        expectsContinue = fields.list.contains {
            $0.name.isEqualIgnoringCase("expect") && $0.value.isEqualIgnoringCase("100-continue")
        }
        mentionsCaching = fields.list.contains { Self.mayMentionCaching($0.name) }
        // A proxy's credential does not go through its tunnel (RFC 9110, section 11.7.1).
        var own = fields.list
        proxyHeaders = own.filter { $0.name.isEqualIgnoringCase("proxy-authorization") }
            .map { "\($0.name): \($0.value)" }
        own.removeAll {
            $0.name.isEqualIgnoringCase("proxy-authorization")
                || (context.hasCredential && $0.name.isEqualIgnoringCase("authorization"))
        }
        headers = Self.lines(
            own,
            userAgentLine: settings.userAgentLine,
            decodesContent: settings.decodesContent,
            omitted: settings.omittedHeaders,
            method: method,
            context: context
        )
        commonCount = headers.count - own.count
    }

    private static func host(_ text: String, _ url: URL) throws(URLError) -> URLHost {
        do throws(URLHost.Invalid) {
            return try URLHost(text)
        } catch {
            throw .ferry(.badURL, url: url, reason: .invalidHost, "The URL's host \(error): \(text.debugDescription)")
        }
    }

    /// Whether a name begins as `Cache-Control`, `Pragma`, `Range` and the conditional fields do.
    private static func mayMentionCaching(_ name: String) -> Bool {
        var bytes = name.utf8.makeIterator()
        guard let first = bytes.next(), let second = bytes.next() else { return false }
        return switch (first | 0x20, second | 0x20) {
        case (UInt8(ascii: "c"), UInt8(ascii: "a")), (UInt8(ascii: "p"), UInt8(ascii: "r")),
            (UInt8(ascii: "r"), UInt8(ascii: "a")), (UInt8(ascii: "i"), UInt8(ascii: "f")):
            true
        default: false
        }
    }

    /// The request's fields and those of the session that it does not have, without those that frame the body.
    private static func fields(
        _ request: URLRequest,
        _ replacements: [HeaderField],
        _ settings: EngineSettings,
        _ context: Context,
        _ url: URL
    ) throws(URLError) -> (list: [HeaderField], contentLength: String?, announcedLength: Int64?, hasSecrets: Bool) {
        var list: [HeaderField] = []
        var hasSecrets = false
        var contentLength: String?
        let given = request.allHTTPHeaderFields ?? [:]
        let count = replacements.count + given.count
        if count > 0 { list.reserveCapacity(count + 2) }
        func add(_ field: HeaderField) throws(URLError) {
            let (name, value) = field
            // A set of the names would allocate, and most requests have few.
            if list.contains(where: { $0.name.isEqualIgnoringCase(name) }) { return }
            let folded = name.folded
            guard HeaderRule.isToken(name) else {
                let text = "The header's name is not a token: \(name.debugDescription)"
                throw .ferry(.badURL, url: url, reason: .invalidHeader, text)
            }
            guard HeaderRule.isValue(value) else {
                let text = "The value of \(name) has a line break or a null byte"
                throw .ferry(.badURL, url: url, reason: .invalidHeader, text)
            }
            switch folded {
            // The engine frames the body itself: both fields at once would be a smuggled request.
            case "content-length": contentLength = contentLength ?? value.trimmingCharacters(in: .whitespaces)
            case "transfer-encoding": break
            case "expect" where context.dropsExpectation: break
            default:
                list.append(field)
                if !hasSecrets { hasSecrets = settings.isSecret(folded) }
            }
        }
        for field in replacements { try add(field) }
        for (name, value) in given { try add((name, value)) }
        for field in settings.additionalHeaders(hasLeftOrigin: context.hasLeftOrigin) { try add(field) }
        if let cookies = settings.cookies?.header(for: request) { try add(("Cookie", cookies)) }
        let isNumber = contentLength?.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ?? false
        return (list, contentLength, isNumber ? contentLength.flatMap { Int64($0) } : nil, hasSecrets)
    }

    static func lines(
        _ fields: [HeaderField],
        userAgentLine: String,
        decodesContent: Bool,
        omitted: Set<String>,
        method: String,
        context: Context
    ) -> [String] {
        var lines: [String] = []
        lines.reserveCapacity(fields.count + 4)
        // Few names are looked for, and a set of all would allocate.
        func has(_ name: String) -> Bool { fields.contains { $0.name.isEqualIgnoringCase(name) } }
        for (name, value) in fields {
            // libcurl takes a name with a colon and nothing behind it for an order to drop the field.
            let isBlank = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            lines.append(isBlank ? "\(name);" : "\(name): \(value)")
        }
        if !has("user-agent"), !omitted.contains("user-agent") { lines.append(userAgentLine) }
        if decodesContent, !has("accept-encoding"), !has("range"), !omitted.contains("accept-encoding") {
            lines.append(ContentCoding.acceptEncodingLine)
        }
        // libcurl adds this one by itself, and a line without a value drops it.
        if omitted.contains("accept"), !has("accept") { lines.append("Accept:") }
        // libcurl would ask for 100 (Continue) by itself, and wait a second for servers that ignore it.
        if context.hasBody, !has("expect") { lines.append("Expect:") }
        // As URLSession does for content that is posted without a type.
        if context.isBodyGiven, method == "POST", !has("content-type"), !omitted.contains("content-type") {
            lines.append("Content-Type: application/x-www-form-urlencoded")
        } else if !has("content-type") {
            lines.append("Content-Type:")
        }
        return lines
    }
}
