import Ferry

extension CurlSession {
    /// Returns the session for all URLs of a command line.
    static func make(_ options: FetchOptions) throws(CommandFailure) -> CurlSession {
        do {
            _ = try CurlRuntime.current()
        } catch {
            throw CommandFailure(.network, error.localizedDescription)
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = options.timeout
        if let maxTime = options.maxTime { configuration.timeoutIntervalForResource = maxTime }
        configuration.httpMaximumConnectionsPerHost = max(6, options.parallel)
        configuration.httpAdditionalHeaders = ["User-Agent": Version.userAgent]
        var own = Options()
        own.connectTimeout = options.connectTimeout
        if let url = options.proxy {
            do {
                own.proxy = try Proxy(url)
            } catch {
                throw CommandFailure(.network, error.message)
            }
        }
        if let path = options.certificateFile {
            guard access(path, R_OK) == 0 else { throw .file(path, "cannot be read", errno: errno) }
            own.certificateAuthorityFile = URL(fileURLWithPath: path)
        }
        if !options.pins.isEmpty { own.tls.publicKeyPins = ["*": options.pins] }
        return CurlSession(configuration: configuration, options: own)
    }
}
