/// A transport that responds to requests from an ``HTTPArchive``, without a server.
///
/// ```swift
/// let archive = try HTTPArchive(
///     contentsOf: URL(fileURLWithPath: "Fixtures/users.har")
/// )
/// let transport = ArchiveTransport(archive)
/// ```
///
/// A request gets the response of the first entry with the same method and URL that has not been used yet. The fragment
/// of URLs is ignored, and secret parameters are equal to one another, since they are not recorded. Header fields about
/// the coding and the connection are left out, because the recorded body is decoded, as are those that were redacted. A
/// body that is recorded as text is sent in UTF-8, which its type then names in place of another charset.
///
/// It is a request interceptor, and can be used on any thread.
public final class ArchiveTransport: RespondingInterceptor {
    private struct State {
        /// The entries that have not been used, by method and URL, the next one last.
        var unused: [String: [HTTPArchive.Entry]]
        /// The entries that were used last.
        var last: [String: HTTPArchive.Entry] = [:]
    }

    private let unmatchedRequests: StubTransport.UnmatchedRequests
    private let repeatsLast: Bool
    private let clock: (any Clock<Duration>)?
    private let state: Mutex<State>

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - archive: The archive.
    ///   - unmatchedRequests: The treatment of a request without an entry; by default it fails.
    ///   - repeatsLast: Whether the last entry for a method and URL is used again; false by default.
    ///   - clock: The clock on which a response takes the recorded time, up to a day; nil, the default, to respond
    ///     immediately.
    public init(
        _ archive: HTTPArchive,
        unmatchedRequests: StubTransport.UnmatchedRequests = .fail,
        repeatsLast: Bool = false,
        clock: (any Clock<Duration>)? = nil
    ) {
        self.unmatchedRequests = unmatchedRequests
        self.repeatsLast = repeatsLast
        self.clock = clock
        let entries = archive.entries.reversed()
        state = Mutex(State(unused: Dictionary(grouping: entries) { Self.key($0.request.method, $0.request.url) }))
    }

    /// The number of entries that have not been used.
    public var unusedCount: Int { state.withLock { $0.unused.values.reduce(0) { $0 + $1.count } } }

    /// Responds to a request with the next entry for it.
    ///
    /// - Throws: ``ArchiveTransportError``, or the `URLError` of an entry that failed, even after part of a response.
    public func respond(to request: URLRequest, for attempt: RequestAttempt) async throws -> InterceptedResponse? {
        let method = request.httpMethod ?? "GET"
        let key = Self.key(method, request.url?.absoluteString ?? "")
        let entry = state.withLock { state in
            guard let entry = state.unused[key]?.popLast() else { return repeatsLast ? state.last[key] : nil }
            if repeatsLast { state.last[key] = entry }
            return entry
        }
        guard let entry else {
            if unmatchedRequests == .pass { return nil }
            throw ArchiveTransportError.noEntry(method: method, url: request.url?.presentableText ?? "")
        }
        if let clock, entry.time > 0 { try await clock.sleep(for: .milliseconds(min(entry.time, 86_400_000))) }
        return try Self.response(entry)
    }

    /// Returns the key of a request in the archive.
    private static func key(_ method: String, _ url: String) -> String {
        let text = PresentableText.url(String(url.prefix { $0 != "#" }))
        guard let scheme = text.range(of: "://") else { return "\(method) \(text)" }
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let path = rest[end...]
        return "\(method) \(text[..<end].lowercased())\(path.hasPrefix("/") ? "" : "/")\(path)"
    }

    private static func response(_ entry: HTTPArchive.Entry) throws -> InterceptedResponse {
        let response = entry.response
        let url = PresentableText.url(entry.request.url)
        if response.status == 0 || entry.errorCode != nil {
            throw URLError(entry.errorCode.flatMap { URLError.Code(rawValue: $0) } ?? .networkConnectionLost)
        }
        guard (200...599).contains(response.status) else {
            throw ArchiveTransportError.invalidStatus(response.status, url: url)
        }
        let isHead = entry.request.method == "HEAD"
        var body = Data()
        if !isHead, response.content.size > 0 || response.content.text != nil {
            guard response.content.text != nil else { throw ArchiveTransportError.bodyNotRecorded(url: url) }
            guard let bytes = response.content.body else { throw ArchiveTransportError.invalidBody(url: url) }
            body = bytes
        }
        var intercepted = InterceptedResponse(
            statusCode: response.status,
            headers: headers(of: response, isHead: isHead),
            body: body
        )
        intercepted.additionalHeaders = cookies(of: response)
        return intercepted
    }

    /// Returns the `Set-Cookie` fields, which cannot be joined (RFC 9110, section 5.3).
    private static func cookies(of response: HTTPArchive.Response) -> [(name: String, value: String)] {
        let fields = response.headers.filter { $0.name.isEqualIgnoringCase("Set-Cookie") }
        let values = fields.flatMap { $0.value.split(whereSeparator: \.isNewline).map(String.init) }
        return values.filter { HeaderRule.isValue($0) && $0 != SecretName.placeholder }
            .map { (name: "Set-Cookie", value: $0) }
    }

    /// The fields that describe the connection, or the body before it was decoded.
    private static let dropped: Set<String> = [
        "connection", "content-encoding", "content-length", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
        // Passed on one by one, and not joined.
        "set-cookie",
    ]

    private static func headers(of response: HTTPArchive.Response, isHead: Bool) -> [String: String] {
        var names: [String: String] = [:]
        var headers: [String: String] = [:]
        let isText = !isHead && response.content.text != nil && response.content.encoding?.isEmpty ?? true
        for field in response.headers {
            let key = field.name.lowercased()
            // Some programs join the lines of a field with line breaks, and write the pseudo-fields of HTTP/2.
            var value = field.value.replacing("\r\n", with: "\n").replacing("\n", with: ", ")
            if isText, key == "content-type" { value = withUTF8(value) }
            guard HeaderRule.isToken(field.name), HeaderRule.isValue(value), value != SecretName.placeholder,
                !dropped.contains(key) || (isHead && key == "content-length")
            else { continue }
            let name = names[key] ?? field.name
            names[key] = name
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
        return headers
    }

    /// Returns a type with UTF-8 in place of another charset.
    private static func withUTF8(_ type: String) -> String {
        guard HTTPArchive.otherCharset(type) != nil else { return type }
        let parameter = /;[ \t]*charset[ \t]*=[ \t]*("[^"]*"|[^;]*)/.ignoresCase()
        guard let charset = type.firstMatch(of: parameter)?.output.1 else { return type }
        return "\(type[..<charset.startIndex])utf-8\(type[charset.endIndex...])"
    }
}

/// An error of an ``ArchiveTransport``; its URLs have no user, password and secret parameters.
public enum ArchiveTransportError: Error, Hashable, Sendable, DescribedError {
    /// The archive has no unused entry for a request.
    case noEntry(method: String, url: String)
    /// The entry has only the size of the body.
    case bodyNotRecorded(url: String)
    /// The text of the body is not in the encoding of the entry.
    case invalidBody(url: String)
    /// The status is not that of a final response.
    case invalidStatus(Int, url: String)

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .noEntry(let method, let url): "The archive has no unused entry for \(method) \(url)."
        case .bodyNotRecorded(let url): "The body of the response of \(url) was not recorded."
        case .invalidBody(let url): "The body of the response of \(url) is not valid in the archive."
        case .invalidStatus(let status, let url): "The status \(status) of \(url) in the archive is not valid."
        }
    }
}
