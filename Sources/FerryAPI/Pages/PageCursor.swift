/// The position of an iterator in a list of pages: which request comes next, and whether it may be sent.
struct PageCursor<Value: Sendable>: Sendable {
    private enum Position: Sendable {
        case first
        case after(TaskResponse<Value>)
        case ended
    }

    private let request: Request<Value>
    private let rule: NextPage<Value>.Rule
    private let maximumPages: Int
    private var position = Position.first
    private var pageCount = 0
    /// The URL that the first page was requested with, whose origin the other pages must have.
    private var firstURL: URL?
    /// The URLs, without fragments, or the cursors of the pages so far.
    private var visited: Set<String> = []

    init(first request: Request<Value>, next: NextPage<Value>, maximumPages: Int) {
        self.request = request
        rule = next.rule
        self.maximumPages = maximumPages
    }

    /// Returns the request for the next page, or `nil` at the end and if the page before has not arrived.
    mutating func nextRequest() throws(NetworkError) -> Request<Value>? {
        let position = self.position
        self.position = .ended
        switch position {
        case .first: return request
        case .ended: return nil
        case .after(let page):
            guard let next = try request(after: page) else { return nil }
            guard pageCount < maximumPages else { throw Self.refusal(.tooManyPages(maximumPages), of: page) }
            return next
        }
    }

    /// Moves past a page that has arrived, and returns its index.
    mutating func advance(past page: TaskResponse<Value>, sentTo url: URL?) -> Int {
        if firstURL == nil { firstURL = url }
        if case .link = rule {
            // A redirected page has two URLs, and a link to either one leads to the same page.
            for url in [url, page.response?.url] { visited.formUnion(url.map { [Self.key($0.presentable)] } ?? []) }
        }
        position = .after(page)
        defer { pageCount += 1 }
        return pageCount
    }

    private mutating func request(after page: TaskResponse<Value>) throws(NetworkError) -> Request<Value>? {
        switch rule {
        case .request(let next): return next(page)
        case .link(let relation):
            guard let link = page.links.first(rel: relation) else { return nil }
            return try request(following: link.target, of: page)
        case .cursor(let parameter, let cursor):
            guard let value = page.value, let next = cursor(value), !next.isEmpty else { return nil }
            return try request(setting: parameter, to: next, of: page)
        }
    }

    private func request(following target: URL, of page: TaskResponse<Value>) throws(NetworkError) -> Request<Value> {
        let target = target.presentable
        guard let firstURL, Origin(target) == Origin(firstURL) else {
            throw Self.refusal(.otherOrigin(target), of: page)
        }
        guard !visited.contains(Self.key(target)) else { throw Self.refusal(.repeatedPage, of: page) }
        var next = request
        next.method = request.method == .head ? .head : .get
        next.path = Self.url(target, withUserOf: firstURL).absoluteString
        (next.parameters, next.multipartForm, next.body) = (nil, nil, nil)
        return next
    }

    private mutating func request(
        setting parameter: String,
        to cursor: String,
        of page: TaskResponse<Value>
    ) throws(NetworkError) -> Request<Value> {
        // A digest compares the bytes; a set of texts would treat some different texts as equal, in quadratic time.
        let key = SHA256Hash.hash(Data(cursor.utf8)).hexadecimal
        guard visited.insert(key).inserted else { throw Self.refusal(.repeatedPage, of: page) }
        var next = request
        do {
            guard request.body == nil else {
                let reason = "The request has a body of its own, to which a cursor cannot be added."
                throw RequestSerializationError(.invalidParameters, reason: reason)
            }
            next.parameters = try request.parameters.setting(parameter, to: cursor)
        } catch {
            throw NetworkError(requestSerialization: error, request: page.request)
        }
        return next
    }

    /// Returns the text that identifies a page: its URL without the fragment, which is not sent.
    private static func key(_ url: URL) -> String {
        String(Substring(url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "#") }))
    }

    /// Returns a URL of the same origin with the user and password of the first page's URL, if it has any.
    private static func url(_ url: URL, withUserOf first: URL) -> URL {
        guard first.user != nil, let source = URLComponents(url: first, resolvingAgainstBaseURL: true),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        parts.user = source.user
        parts.password = source.password
        return parts.url ?? url
    }

    private static func refusal(_ reason: PaginationError, of page: TaskResponse<Value>) -> NetworkError {
        NetworkError(
            .nextPageRefused,
            message: "The next page was not requested: \(reason)",
            failingURL: page.response?.url ?? page.request?.url,
            response: page.httpResponse,
            underlyingError: reason
        )
    }
}

extension Parameters? {
    fileprivate func setting(_ name: String, to value: String) throws -> Parameters {
        guard case .dictionary(var members) = try self?.value() ?? [:] else {
            let reason = "The parameters are not a dictionary, so that a cursor cannot be added."
            throw RequestSerializationError(.invalidParameters, reason: reason)
        }
        if let first = try self?.encodable(), !(first is ParameterValue) {
            return Parameters(encoding: NextParameters(first: first, cursor: [name: value]))
        }
        members[name] = .string(value)
        return Parameters(.dictionary(members))
    }
}

/// The parameters of the first page and a cursor, encoded by the serializer's encoder with its strategies.
private struct NextParameters: Encodable, Sendable {
    let first: any Encodable & Sendable
    let cursor: [String: String]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(first)
        // Adds to the container that the first value is in.
        try cursor.encode(to: encoder)
    }
}
