extension URLSessionTask {
    /// Treats the task like one that a redirect has led to another origin, since a server has chosen its URL.
    ///
    /// Interceptors and the session's options then add no credentials.
    package func noteOtherOrigin() { (self as? any CurlTask)?.core.state.withLock { $0.hasLeftOrigin = true } }

    /// Makes the task send its own request, also if the session has an identical one in flight.
    package func noteUnshareable() { (self as? any CurlTask)?.core.state.withLock { $0.isUnshareable = true } }

    /// The limit on the bytes per second of the response's body, besides that of the session's options; `nil` by
    /// default.
    ///
    /// Set it before the task is resumed for the first time; the limit itself can be changed at any time. Tasks may
    /// have the same limit. The tasks of a plain `URLSession` have no limit, and setting one has no effect.
    public var downloadLimit: BandwidthLimit? {
        get { (self as? any CurlTask)?.core.state.withLock { $0.bandwidth.download } }
        set { (self as? any CurlTask)?.core.state.withLock { $0.bandwidth.download = newValue } }
    }

    /// The limit on the bytes per second of the request's body, besides that of the session's options; `nil` by
    /// default.
    ///
    /// Set it before the task is resumed for the first time; the limit itself can be changed at any time. Tasks may
    /// have the same limit. The tasks of a plain `URLSession` have no limit, and setting one has no effect.
    public var uploadLimit: BandwidthLimit? {
        get { (self as? any CurlTask)?.core.state.withLock { $0.bandwidth.upload } }
        set { (self as? any CurlTask)?.core.state.withLock { $0.bandwidth.upload = newValue } }
    }

    /// A Boolean value that indicates whether the task connects to the host of its URL, whose name is looked up.
    ///
    /// It is true for the tasks of other sessions.
    package var looksUpHost: Bool {
        guard let core = (self as? any CurlTask)?.core else { return true }
        let (session, url) = core.state.withLock { ($0.sessionCore, $0.originalRequest?.url) }
        guard let engine = session?.engine, let url else { return true }
        return engine.settings.looksUpHost(of: Origin(url))
    }

    /// Notes in the record of a durable session that the downloaded file has another name in its folder.
    package func noteDurableFile(_ file: URL) {
        (self as? any CurlTask)?.core.noteDurably { $0.partial?.name = file.lastPathComponent }
    }

    /// Keeps the record of a durable session beyond the end of the task, until the closure that is returned is called;
    /// `nil` if there is no record.
    ///
    /// A delegate calls it when it receives the end, and has more to do before the result is delivered.
    package func keepDurableRecord(_ error: (any Error)?) -> (@Sendable () -> Void)? {
        guard let core = (self as? any CurlTask)?.core else { return nil }
        let session = core.state.withLock { state -> CurlSessionCore? in
            guard let session = state.sessionCore, session.durable != nil else { return nil }
            state.keepsDurableRecord = true
            return session
        }
        guard let session else { return nil }
        // An invalidated session forgets its delegate.
        let delegate = session.delegate
        return { session.endDurableTask(core.identifier, error, delegate) }
    }
}
