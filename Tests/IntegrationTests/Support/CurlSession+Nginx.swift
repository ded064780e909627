import Ferry

extension CurlSession {
    /// A session that trusts the throwaway authority alone.
    static func trusting(
        _ server: NginxServer,
        delegate: (any URLSessionDelegate)? = nil,
        queue: OperationQueue? = nil,
        _ change: (inout Options) -> Void = { _ in }
    ) -> CurlSession {
        var options = Options()
        options.certificateAuthorityFile = server.certificates.authority
        change(&options)
        return CurlSession(configuration: .ephemeral, options: options, delegate: delegate, delegateQueue: queue)
    }

    /// Fetches a URL, with the response as what it is.
    func fetch(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
    }

    /// Fetches a URL, with the response as what it is.
    func fetch(_ url: URL) async throws -> (Data, HTTPURLResponse) {
        try await fetch(URLRequest(url: url))
    }
}

extension HTTPURLResponse {
    subscript(name: String) -> String? { value(forHTTPHeaderField: name) }
}
