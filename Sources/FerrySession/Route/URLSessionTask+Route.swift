extension URLSessionTask {
    /// A Boolean value that indicates whether the task connects to the host of its URL, whose name is looked up.
    ///
    /// It is true for the tasks of other sessions.
    package var looksUpHost: Bool {
        guard let core = (self as? any CurlTask)?.core else { return true }
        let (session, url) = core.state.withLock { ($0.sessionCore, $0.originalRequest?.url) }
        guard let engine = session?.engine, let url else { return true }
        return engine.settings.looksUpHost(of: Origin(url))
    }
}
