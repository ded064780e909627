/// The request of a call as it is sent next, without what the session adds.
struct CallRequest {
    var base: URLRequest {
        didSet { (method, fields) = (base.httpMethod ?? "GET", []) }
    }
    /// The header fields that interceptors have set, which replace those of the request.
    private(set) var fields: [HeaderField] = []
    /// The request's method, kept because reading it from the request takes long.
    private(set) var method: String

    init(_ base: URLRequest) {
        self.base = base
        method = base.httpMethod ?? "GET"
    }

    var url: URL? { base.url }
    var complete: URLRequest { base.setting(fields) }

    /// Returns what the request's credentials belong to: its origin, or the proxy.
    func place(isProxy: Bool, _ proxy: CredentialPlace?) -> CredentialPlace? {
        isProxy ? proxy : url.map { .origin(Origin($0)) }
    }

    /// Requests another URL in the same way.
    mutating func use(_ url: URL) {
        let kept = fields
        base.url = url
        fields = kept
    }

    /// Uses a request that interceptors have changed.
    mutating func use(_ adapted: AdaptedRequest) {
        if adapted.isBaseChanged { base = adapted.base }
        fields = adapted.fields
    }
}

/// The redirects that a call has followed.
struct Redirects {
    /// The request that the task was made with.
    let original: URLRequest
    var count = 0
    /// Whether one has led to another origin than the task's.
    var hasLeftOrigin = false

    mutating func follow(leavesOrigin: Bool) {
        count += 1
        if leavesOrigin { hasLeftOrigin = true }
    }
}

extension BodySource {
    /// Returns the body of the request after a redirect: the one that the delegate has set instead of the body of
    /// `asked`, or else the task's own if `keepsOwn`.
    func afterRedirect(from earlier: URLRequest, asked: URLRequest, to next: URLRequest, keepsOwn: Bool) -> BodySource {
        // An unchanged body of the request is also the task's, except in upload tasks, which do not send it.
        if let data = next.httpBody, data != earlier.httpBody || !keepsOwn { return data.isEmpty ? .none : .data(data) }
        if next.httpBody == nil, let stream = next.httpBodyStream, stream !== earlier.httpBodyStream {
            return StreamBox(stream).source
        }
        // A delegate that removed the body wants none.
        let isRemoved = asked.httpBody != nil && next.httpBody == nil
        return keepsOwn && !isRemoved ? self : .none
    }

    /// Returns whether the body is sent with a method, even if it is empty.
    func isSent(with method: String) -> Bool {
        method != "HEAD" && (!isNone || method == "POST" || method == "PUT" || method == "PATCH")
    }

    /// Whether the body is made or read while it is sent, so that its length is not known.
    var isStreamed: Bool {
        switch self {
        case .stream, .made: true
        case .none, .data, .file, .delegateStream: false
        }
    }
}

extension URL {
    /// Returns whether another URL has the same origin; `nil` if `other` is `nil`.
    func hasSameOrigin(as other: URL?) -> Bool? {
        guard let other else { return nil }
        return self == other || Origin(self) == Origin(other)
    }
}

/// The request that a task sends, with header fields that become part of it only when it is read.
struct CurrentRequest: Sendable {
    let request: URLRequest
    /// The fields from interceptors, which replace the request's fields.
    let replacements: [HeaderField]
    /// The fields of the session, which are sent where the request has none of the same name.
    let additions: [HeaderField]

    init(_ request: URLRequest, replacements: [HeaderField] = [], additions: [HeaderField] = []) {
        (self.request, self.replacements, self.additions) = (request, replacements, additions)
    }

    var complete: URLRequest {
        let request = request.setting(replacements)
        return request.setting(additions.filter { request.value(forHTTPHeaderField: $0.name) == nil })
    }
}
