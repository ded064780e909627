import Ferry

extension CurlSession {
    /// Returns a session that trusts only the server's throwaway authority.
    package static func trusting(
        _ server: NginxServer,
        delegate: (any URLSessionDelegate)? = nil,
        _ change: (inout Options) -> Void = { _ in }
    ) -> CurlSession {
        trusting(server.certificates.authority, delegate: delegate, change)
    }

    /// Returns a session that trusts only the authority in a file.
    package static func trusting(
        _ authority: URL,
        delegate: (any URLSessionDelegate)? = nil,
        _ change: (inout Options) -> Void = { _ in }
    ) -> CurlSession {
        var options = Options()
        options.tls.certificateAuthorities = .only([.pemFile(authority)])
        change(&options)
        return CurlSession(configuration: .ephemeral, options: options, delegate: delegate)
    }

    /// Sends a request, and returns the body and the HTTP response.
    package func fetch(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
    }

    /// Fetches a URL, and returns the body and the HTTP response.
    package func fetch(_ url: URL) async throws -> (Data, HTTPURLResponse) {
        try await fetch(URLRequest(url: url))
    }
}

extension HTTPURLResponse {
    package subscript(name: String) -> String? { value(forHTTPHeaderField: name) }
}
