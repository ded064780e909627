extension PreparedRequest {
    init(
        _ request: URLRequest,
        setting replacements: [HeaderField] = [],
        settings: CurlSessionSettings,
        context: PreparationContext
    ) throws(URLError) {
        guard let url = request.url else { throw .ferry(.unsupportedURL, url: nil, "The request has no URL") }
        guard let scheme = url.scheme?.folded else {
            throw .ferry(.unsupportedURL, url: url, "The URL has no scheme, such as https://: \(url.presentableText)")
        }
        guard scheme == "http" || scheme == "https" else {
            let text =
                "The scheme is neither http nor https, and no class of the configuration's protocolClasses or of "
                + "CurlSession.registerProtocolClass takes it: \(url.presentableText)"
            throw .ferry(.unsupportedURL, url: url, text)
        }
        // libcurl receives the same normalized host that all decisions are made on.
        let text = (context.hasCredential ? url.presentable : url).absoluteString
        guard let authority = Authority(text), !authority.host.isEmpty else {
            throw .ferry(.badURL, url: url, "The URL has no host: \(url.presentableText)")
        }
        let place = authority.host
        let host = try Self.host(String(text[place]), url)
        let port = url.port
        if let port, !(1...65_535).contains(port) {
            let code: URLError.Code = port == 0 ? .cannotConnectToHost : .badURL
            throw .ferry(code, url: url, "The port is out of range: \(port)")
        }
        let method = request.httpMethod ?? "GET"
        guard HeaderRule.isToken(method), method != "CONNECT" else {
            let text = "The method \(method.debugDescription) is not a token (RFC 9110, section 9.1), or is CONNECT"
            throw .ferry(.badURL, url: url, reason: .invalidMethod, text)
        }
        let fields = try Self.fields(request, replacements, settings, context, url)
        // The length of a stream is known only from this field.
        if context.isStreamed, let length = fields.contentLength, fields.announcedLength == nil {
            let text = "The Content-Length of the body's stream is not a number: \(length)"
            throw .ferry(.badURL, url: url, reason: .invalidHeader, text)
        }
        let hostText = host.urlText
        let isPlain = fields.list.isEmpty && !context.hasBody
        self.init(
            url: text[place] == hostText ? text : text.replacingCharacters(in: place, with: hostText),
            origin: Origin(scheme: scheme, host: host, port: port),
            method: method
        )
        if isPlain {
            self.fields = settings.commonFields.plain
            commonCount = self.fields.count
        } else {
            var own = fields.list
            // A proxy's credential does not go through its tunnel (RFC 9110, section 11.7.1).
            own.removeAll { field in
                field.name.isEqualIgnoringCase("proxy-authorization")
                    || (context.hasCredential && field.name.isEqualIgnoringCase("authorization"))
            }
            proxyFields = fields.list.filter { $0.name.isEqualIgnoringCase("proxy-authorization") }
                .map { RequestField($0.name, $0.value) }
            self.fields = settings.commonFields.all(own, method, context)
            commonCount = self.fields.count - own.count
        }
        (announcedLength, hasSecrets) = (fields.announcedLength, fields.hasSecrets)
        (hasBody, isStreamed, isUpgrade) = (context.hasBody, context.isStreamed, context.isUpgrade)
        (hasLeftOrigin, self.isPlain, hasUserInfo) = (context.hasLeftOrigin, isPlain, !authority.userInfo.isEmpty)
        mentionsCaching = fields.list.contains { Self.mayMentionCaching($0.name) }
        expectsContinue = fields.list.contains {
            $0.name.isEqualIgnoringCase("expect") && $0.value.isEqualIgnoringCase("100-continue")
        }
        endsConnection = fields.list.contains { field in
            field.name.isEqualIgnoringCase("connection")
                && field.value[...].utf8.parts(between: ",").contains { $0.trimmed.string.isEqualIgnoringCase("close") }
        }
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

    /// The request's fields and, for other names, the session's, without the fields that frame the body.
    private static func fields(
        _ request: URLRequest,
        _ replacements: [HeaderField],
        _ settings: CurlSessionSettings,
        _ context: PreparationContext,
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
                let text = "The header's name is not a token: \(PresentableText.argument(name).debugDescription)"
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
}

/// The facts about a call that its next request depends on.
struct PreparationContext: Sendable {
    var hasBody = false
    /// Whether there is a body, other than empty data.
    var isBodyGiven = false
    /// The coding that is applied to the body while it is sent.
    var contentCoding: ContentCoding?
    var isStreamed = false
    /// The server is asked to switch protocols.
    var isUpgrade = false
    /// A redirect has led to another origin, which must not get the session's credentials either.
    var hasLeftOrigin = false
    /// The server has refused the expectation.
    var dropsExpectation = false
    /// A credential was provided for a challenge, and replaces the credentials in the URL and in the header.
    var hasCredential = false
}
