import Ferry
import Testing

/// Helpers of the TLS suites.
package struct TLSChecks {
    package let server: NginxServer

    package init() throws {
        self.init(server: try .shared())
    }

    package init(server: NginxServer) {
        self.server = server
    }

    /// Returns a URL that no other test requests, and the mark that makes it unique.
    package func uniqueURL(_ listener: NginxListener, host: String = "localhost") -> (url: URL, mark: String) {
        let mark = UUID().uuidString
        return (server.url(listener, "small?\(mark)", host: host), mark)
    }

    /// Returns whether the server's log has a request with the mark, after making sure that the log is up to date.
    package func hasLogged(_ mark: String) async throws -> Bool {
        let (url, ours) = uniqueURL(.tls)
        _ = try await CurlSession.trusting(server).fetch(url)
        try await server.waitForLog(ours)
        return try server.logged([mark]) == [mark]
    }

    /// Fetches a URL, and returns the error and its cause.
    package func failure(
        _ session: CurlSession,
        _ url: URL
    ) async throws -> (code: URLError.Code, cause: CurlSessionError) {
        let error = await #expect(throws: URLError.self) { try await session.fetch(url) }
        let found = try #require(error)
        #expect(found.failingURL == url)
        return (found.code, try #require(found.userInfo[NSUnderlyingErrorKey] as? CurlSessionError))
    }
}

/// An evaluator that records the chains it receives, and returns a decision.
package final class TrustRecorder: Sendable {
    private let seen = Mutex<[ServerTrust]>([])
    private let answer: @Sendable (ServerTrust) -> TrustDecision

    package init(_ answer: @escaping @Sendable (ServerTrust) -> TrustDecision = { _ in .accept }) {
        self.answer = answer
    }

    package var trusts: [ServerTrust] { seen.withLock { $0 } }

    package func evaluate(_ trust: ServerTrust) -> TrustDecision {
        seen.withLock { $0.append(trust) }
        return answer(trust)
    }
}
