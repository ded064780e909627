/// A request as it goes to libcurl, with everything checked that could break the message.
struct PreparedRequest: Sendable {
    let url: String
    let origin: Origin
    let method: String
    /// `Name: value` lines.
    let headers: [String]
    /// The length the request announces for its body, where it does.
    let announcedLength: Int64?

    init(
        _ request: URLRequest,
        settings: EngineSettings,
        hasBody: Bool
    ) throws(URLError) {
        guard let url = request.url else { throw .ferry(.badURL, url: nil, "The request has no URL") }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw .ferry(.unsupportedURL, url: url, "The scheme is neither http nor https: \(url.absoluteString)")
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw .ferry(.badURL, url: url, "The URL has no host: \(url.absoluteString)")
        }
        if let port = url.port, !(1...65_535).contains(port) {
            let code: URLError.Code = port == 0 ? .cannotConnectToHost : .badURL
            throw .ferry(code, url: url, "The port is out of range: \(port)")
        }
        let method = request.httpMethod ?? "GET"
        guard HeaderRule.isToken(method), method != "CONNECT" else {
            let error = CurlSessionError(.invalidMethod, "The method is not one a request can have: \(method)")
            throw .ferry(.badURL, url: url, underlying: error)
        }
        let fields = try Self.fields(request, settings, url)
        self.url = url.absoluteString
        origin = Origin(url)
        self.method = method
        announcedLength = fields.announcedLength
        headers = Self.lines(fields.list, settings: settings, method: method, hasBody: hasBody)
    }

    private typealias Field = (name: String, value: String)

    /// The request's fields and those of the session that it does not have, without those that frame the body.
    private static func fields(
        _ request: URLRequest,
        _ settings: EngineSettings,
        _ url: URL
    ) throws(URLError) -> (list: [Field], announcedLength: Int64?) {
        var list: [Field] = []
        var announcedLength: Int64?
        var seen: Set<String> = []
        func add(_ field: Field) throws(URLError) {
            let (name, value) = field
            let folded = name.lowercased()
            guard seen.insert(folded).inserted else { return }
            guard HeaderRule.isToken(name) else {
                let error = CurlSessionError(
                    .invalidHeader,
                    "The header's name is not a token: \(name.debugDescription)"
                )
                throw .ferry(.badURL, url: url, underlying: error)
            }
            guard HeaderRule.isValue(value) else {
                let error = CurlSessionError(.invalidHeader, "The value of \(name) has a line break or a null byte")
                throw .ferry(.badURL, url: url, underlying: error)
            }
            switch folded {
            // The engine frames the body itself: both fields at once would be a smuggled request.
            case "content-length": announcedLength = Int64(value.trimmingCharacters(in: .whitespaces))
            case "transfer-encoding": break
            default: list.append(field)
            }
        }
        for (name, value) in request.allHTTPHeaderFields ?? [:] { try add((name, value)) }
        for field in settings.additionalHeaders { try add(field) }
        if let cookies = settings.cookies?.header(for: request) { try add(("Cookie", cookies)) }
        return (list, announcedLength)
    }

    private static func lines(
        _ fields: [Field],
        settings: EngineSettings,
        method: String,
        hasBody: Bool
    ) -> [String] {
        var lines: [String] = []
        lines.reserveCapacity(fields.count + 4)
        var names: Set<String> = []
        for (name, value) in fields {
            names.insert(name.lowercased())
            // libcurl takes a name with a colon and nothing behind it for an order to drop the field.
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        if !names.contains("user-agent") { lines.append("User-Agent: \(settings.userAgent)") }
        if settings.decodesContent, !names.contains("accept-encoding"), !names.contains("range") {
            lines.append("Accept-Encoding: \(ContentCoding.acceptEncoding)")
        }
        // libcurl would ask for 100 (Continue) by itself, and wait a second for servers that ignore it.
        if hasBody, !names.contains("expect") { lines.append("Expect:") }
        // As URLSession does for a form posted without a type.
        if hasBody, method == "POST", !names.contains("content-type") {
            lines.append("Content-Type: application/x-www-form-urlencoded")
        } else if !names.contains("content-type") {
            lines.append("Content-Type:")
        }
        return lines
    }
}
