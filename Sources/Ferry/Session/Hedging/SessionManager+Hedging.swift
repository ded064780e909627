extension SessionManager {
    /// The rule for a second request if the first one takes unusually long; nil, the default, for none.
    ///
    /// It is read when a request is sent.
    public var hedging: Hedging? {
        get { core.settings.withLock { $0.hedging } }
        set { core.settings.replace(\.hedging, with: newValue) }
    }
}

extension URLRequest {
    /// Whether the request can be sent twice at the same time, and has no body that can be read once only.
    var mayBeHedged: Bool { httpBodyStream == nil && HTTPMethod(rawValue: httpMethod ?? "GET").isSafe }
}

extension Request {
    /// Whether the request can be sent twice at the same time, and reports no progress.
    var mayBeHedged: Bool {
        method.isSafe && body == nil && multipartForm == nil && uploadProgress == nil && downloadProgress == nil
    }
}
