extension URLSessionTask {
    /// A Boolean value that indicates whether the task connects to the host of its URL, whose name is looked up.
    ///
    /// It is true for the tasks of other sessions.
    package var looksUpHost: Bool {
        guard let core = (self as? any CurlTask)?.core else { return true }
        let (session, url) = core.state.withLock { ($0.session, $0.originalRequest?.url) }
        guard let settings = session?.engine?.settings, let url else { return true }
        return settings.looksUpHost(of: Origin(url))
    }
}

extension EngineSettings {
    /// Returns whether requests to an origin are sent to its host, whose name is looked up.
    ///
    /// A proxy of the environment counts also for hosts that the environment excepts, and nothing is looked up with
    /// invalid options, with which a task fails.
    func looksUpHost(of origin: Origin) -> Bool {
        guard let network = try? self.network.get(), let proxy = try? self.proxy.get() else { return false }
        guard network.unixSocket(for: origin) == nil,
            network.resolutions(of: origin.host, port: origin.port).isEmpty
        else { return false }
        if URLHost.isLocalhost(origin.host) { return false }
        return switch proxy.route(to: origin) {
        case .direct: true
        case .server: false
        case .environment: EnvironmentProxy.value(for: origin, EnvironmentProxy.variable) == nil
        }
    }
}
