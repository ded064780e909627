extension URLSessionTask {
    /// Treats the task like one that a redirect has led to another origin, since a server has chosen its URL.
    ///
    /// Interceptors and the session's options then add no credentials.
    package func noteOtherOrigin() { (self as? any CurlTask)?.core.state.withLock { $0.hasLeftOrigin = true } }

    /// Has the task send its own request, also if the session has an identical one in flight.
    package func noteUnshareable() { (self as? any CurlTask)?.core.state.withLock { $0.isUnshareable = true } }

    /// The limit on the bytes per second of the response's body, besides that of the session's options; `nil` by
    /// default.
    ///
    /// Set it before the task is resumed for the first time; the limit itself can be changed at any time. Tasks may
    /// have the same limit. Those of other sessions have none, and setting it has no effect on them.
    public var downloadLimit: BandwidthLimit? {
        get { (self as? any CurlTask)?.core.state.withLock { $0.bandwidth.download } }
        set { (self as? any CurlTask)?.core.state.withLock { $0.bandwidth.download = newValue } }
    }

    /// The limit on the bytes per second of the request's body, besides that of the session's options; `nil` by
    /// default.
    ///
    /// Set it before the task is resumed for the first time; the limit itself can be changed at any time. Tasks may
    /// have the same limit. Those of other sessions have none, and setting it has no effect on them.
    public var uploadLimit: BandwidthLimit? {
        get { (self as? any CurlTask)?.core.state.withLock { $0.bandwidth.upload } }
        set { (self as? any CurlTask)?.core.state.withLock { $0.bandwidth.upload = newValue } }
    }
}
