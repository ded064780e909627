/// The versions of HTTP that the requests of a session use.
///
/// A value that requires a version excludes all others: a request that cannot use it fails, and is not sent over
/// another one. Such requests, and values that the process's libcurl does not support, fail with a
/// ``CurlSessionError`` with the code `httpVersionUnsupported`. If the server does not speak the version, the code is
/// `httpVersionRefused`.
public enum HTTPVersions: Sendable, Hashable {
    /// HTTP/2 over TLS if the server chooses it in the handshake (ALPN, RFC 7301), and HTTP/1.1 otherwise.
    ///
    /// Without TLS it is HTTP/1.1. WebSockets, downloads with a bandwidth limit and bodies with trailers use HTTP/1.1.
    case automatic
    /// HTTP/1.1, with and without TLS.
    case http1
    /// HTTP/2, which the server must choose in the handshake; requests without TLS fail.
    ///
    /// This needs a libcurl with OpenSSL.
    case http2
    /// HTTP/2 from the first byte without TLS (RFC 9113, section 3.3), and as with ``http2`` over TLS.
    ///
    /// An HTTP proxy is asked for a tunnel, since a request that it forwards would be one of HTTP/1.1.
    case http2PriorKnowledge
    /// HTTP/3 over TLS, or what ``automatic`` uses if no QUIC connection can be established, as through a proxy.
    ///
    /// It is tried without waiting for an `Alt-Svc` field.
    case http3
    /// HTTP/3 to servers that have announced it for their own host and port in an `Alt-Svc` field (RFC 7838), and
    /// otherwise what ``automatic`` uses; always with a libcurl that lacks HTTP/3, or cannot share its connections.
    ///
    /// A session remembers what the responses to its requests over verified TLS connections have announced. A server
    /// with which HTTP/3 did not work is reached without it for five minutes.
    case http3IfAnnounced
    /// HTTP/3; requests without TLS fail.
    case http3Only
}

/// The way in which a request's version of HTTP is chosen.
package enum HTTPVersionChoice: Sendable, Hashable {
    case http1
    /// HTTP/2 or HTTP/1.1, by the TLS handshake.
    case negotiated
    /// As ``negotiated``, and then the connection must be HTTP/2.
    case negotiatedHTTP2
    /// HTTP/2 without TLS.
    case priorKnowledge
    case http3
    case http3Only

    /// The value of `CURLOPT_HTTP_VERSION`.
    package var curlValue: Int {
        switch self {
        case .http1: 2
        case .negotiated, .negotiatedHTTP2: 4
        case .priorKnowledge: 5
        case .http3: 30
        case .http3Only: 31
        }
    }

    /// Whether several requests may use a connection at the same time.
    var sharesConnections: Bool { self != .http1 }
    var isHTTP3: Bool { self == .http3 || self == .http3Only }
    var excludesHTTP1: Bool { self == .negotiatedHTTP2 || self == .priorKnowledge }
}

/// A need of a request that its version of HTTP must meet.
package enum HTTPVersionNeed: Sendable, Hashable {
    case nothing
    /// HTTP/1.1 if it is allowed: the server wants it, or must stop sending while the download is paused, which it only
    /// does on a connection of its own.
    case pauses
    /// A switch of protocols, which only HTTP/1.1 has.
    case upgrade
    /// Fields after the body, which libcurl only sends over HTTP/1.1.
    case trailers
}

/// The versions of HTTP that a libcurl supports, and how.
package struct HTTPVersionSupport: Sendable, Hashable {
    package var http2: Bool
    package var http3: Bool
    /// Whether requests can share a connection of HTTP/3; otherwise each needs its own.
    package var sharesHTTP3: Bool
    /// Whether libcurl reports the version that a handshake has chosen.
    package var reportsNegotiation: Bool
    /// The library's name and version.
    package var name: String

    /// Whether HTTP/3 is used where it is announced; a handshake for each request takes longer than HTTP/2.
    var usesAnnouncements: Bool { http3 && sharesHTTP3 }

    package init(http2: Bool, http3: Bool, sharesHTTP3: Bool = true, reportsNegotiation: Bool, name: String) {
        (self.http2, self.http3, self.sharesHTTP3) = (http2, http3, sharesHTTP3)
        (self.reportsNegotiation, self.name) = (reportsNegotiation, name)
    }
}

extension HTTPVersions {
    /// Returns how the version of a request is chosen, which depends on whether the server has announced HTTP/3.
    ///
    /// - Throws: An error with the code `httpVersionUnsupported`.
    package func choice(
        isSecure: Bool,
        need: HTTPVersionNeed = .nothing,
        isAnnounced: Bool = false,
        _ support: HTTPVersionSupport
    ) throws(CurlSessionError) -> HTTPVersionChoice {
        try checkSupport(support)
        try checkNeed(need)
        switch self {
        case .automatic: return isSecure && need == .nothing ? .negotiated : .http1
        case .http1: return .http1
        case .http3: return isSecure && need == .nothing ? .http3 : .http1
        case .http3IfAnnounced:
            guard isSecure, need == .nothing else { return .http1 }
            return isAnnounced && support.usesAnnouncements ? .http3 : .negotiated
        case .http2PriorKnowledge: return isSecure ? .negotiatedHTTP2 : .priorKnowledge
        case .http2, .http3Only:
            guard isSecure else {
                let other = self == .http2 ? "; http2PriorKnowledge has HTTP/2 without it" : ""
                throw unsupported("requires TLS" + other)
            }
            return self == .http2 ? .negotiatedHTTP2 : .http3Only
        }
    }

    private func checkSupport(_ support: HTTPVersionSupport) throws(CurlSessionError) {
        switch self {
        case .automatic, .http1, .http3IfAnnounced: break
        case .http2, .http2PriorKnowledge:
            guard support.http2 else { throw unsupported("needs a libcurl with HTTP/2, which \(support.name) lacks") }
            guard support.reportsNegotiation else {
                throw unsupported("needs a libcurl with OpenSSL, unlike \(support.name)")
            }
        case .http3, .http3Only:
            guard support.http3 else { throw unsupported("needs a libcurl with HTTP/3, which \(support.name) lacks") }
        }
    }

    private func checkNeed(_ need: HTTPVersionNeed) throws(CurlSessionError) {
        switch (self, need) {
        case (.automatic, _), (.http1, _), (.http3, _), (.http3IfAnnounced, _), (_, .nothing), (_, .pauses): break
        case (_, .upgrade): throw unsupported("excludes HTTP/1.1, which a WebSocket or another upgrade needs")
        case (_, .trailers): throw unsupported("excludes HTTP/1.1, which a body with trailers needs")
        }
    }

    private func unsupported(_ what: String) -> CurlSessionError {
        CurlSessionError(.httpVersionUnsupported, "The session's option httpVersions, \(self), \(what)")
    }
}
