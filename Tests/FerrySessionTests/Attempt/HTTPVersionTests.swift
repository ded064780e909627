import FerrySession
import FerryTesting
import TestSupport
import Testing

/// The version of HTTP that a request uses, and the requests that cannot use a version.
@Suite("Versions of HTTP", .timeLimit(.minutes(1)))
struct HTTPVersionTests {
    private static let complete = HTTPVersionSupport(http2: true, http3: true, reportsNegotiation: true, name: "a")

    /// One row of the table: an option, a scheme and a need, and the choice; `nil` for an error.
    struct Row: Sendable, CustomTestStringConvertible {
        let versions: HTTPVersions
        let isSecure: Bool
        let need: HTTPVersionNeed
        let choice: HTTPVersionChoice?

        var testDescription: String { "\(versions), \(isSecure ? "https" : "http"), \(need)" }
    }

    private static func rows(
        _ versions: HTTPVersions,
        _ need: HTTPVersionNeed,
        http: HTTPVersionChoice?,
        https: HTTPVersionChoice?
    ) -> [Row] {
        [
            Row(versions: versions, isSecure: false, need: need, choice: http),
            Row(versions: versions, isSecure: true, need: need, choice: https),
        ]
    }

    private static let table: [Row] = [
        rows(.automatic, .nothing, http: .http1, https: .negotiated),
        rows(.automatic, .pauses, http: .http1, https: .http1),
        rows(.automatic, .upgrade, http: .http1, https: .http1),
        rows(.automatic, .trailers, http: .http1, https: .http1),
        rows(.http1, .nothing, http: .http1, https: .http1),
        rows(.http1, .upgrade, http: .http1, https: .http1),
        rows(.http2, .nothing, http: nil, https: .negotiatedHTTP2),
        rows(.http2, .pauses, http: nil, https: .negotiatedHTTP2),
        rows(.http2, .upgrade, http: nil, https: nil),
        rows(.http2, .trailers, http: nil, https: nil),
        rows(.http2PriorKnowledge, .nothing, http: .priorKnowledge, https: .negotiatedHTTP2),
        rows(.http2PriorKnowledge, .pauses, http: .priorKnowledge, https: .negotiatedHTTP2),
        rows(.http2PriorKnowledge, .upgrade, http: nil, https: nil),
        rows(.http2PriorKnowledge, .trailers, http: nil, https: nil),
        rows(.http3, .nothing, http: .http1, https: .http3),
        rows(.http3, .pauses, http: .http1, https: .http1),
        rows(.http3, .upgrade, http: .http1, https: .http1),
        rows(.http3, .trailers, http: .http1, https: .http1),
        rows(.http3IfAnnounced, .nothing, http: .http1, https: .negotiated),
        rows(.http3IfAnnounced, .pauses, http: .http1, https: .http1),
        rows(.http3IfAnnounced, .upgrade, http: .http1, https: .http1),
        rows(.http3IfAnnounced, .trailers, http: .http1, https: .http1),
        rows(.http3Only, .nothing, http: nil, https: .http3Only),
        rows(.http3Only, .pauses, http: nil, https: .http3Only),
        rows(.http3Only, .upgrade, http: nil, https: nil),
        rows(.http3Only, .trailers, http: nil, https: nil),
    ].flatMap { $0 }

    @Test("The option, the scheme and what the request needs determine the version", arguments: table)
    func choice(_ row: Row) throws {
        guard let expected = row.choice else {
            let error = #expect(throws: CurlSessionError.self) {
                try row.versions.choice(isSecure: row.isSecure, need: row.need, Self.complete)
            }
            #expect(error?.code == .httpVersionUnsupported)
            #expect(error?.message.contains("\(row.versions)") == true)
            return
        }
        #expect(try row.versions.choice(isSecure: row.isSecure, need: row.need, Self.complete) == expected)
    }

    @Test("HTTP/3 that is announced is used where that is the option, and libcurl has it")
    func announced() throws {
        let plain = HTTPVersionSupport(http2: true, http3: false, reportsNegotiation: true, name: "a")
        var alone = Self.complete
        alone.sharesHTTP3 = false
        for (versions, support, choice) in [
            (HTTPVersions.http3IfAnnounced, Self.complete, HTTPVersionChoice.http3),
            (.http3IfAnnounced, plain, .negotiated), (.http3IfAnnounced, alone, .negotiated), (.http3, alone, .http3),
            (.automatic, Self.complete, .negotiated),
            (.http1, Self.complete, .http1), (.http2, Self.complete, .negotiatedHTTP2),
        ] {
            #expect(try versions.choice(isSecure: true, isAnnounced: true, support) == choice)
        }
        for need in [HTTPVersionNeed.pauses, .upgrade, .trailers] {
            let choice = try HTTPVersions.http3IfAnnounced.choice(
                isSecure: true,
                need: need,
                isAnnounced: true,
                Self.complete
            )
            #expect(choice == .http1)
        }
        #expect(try HTTPVersions.http3IfAnnounced.choice(isSecure: false, isAnnounced: true, Self.complete) == .http1)
    }

    @Test(
        "OpenSSL's own QUIC is known by the names of libcurl's libraries",
        arguments: [
            ("nghttp3/1.8.0", true), ("ngtcp2/1.11.0 nghttp3/1.8.0", false), ("quiche/0.22.0", false), ("", false),
        ]
    )
    func quic(libraries: String, losesRequests: Bool) {
        #expect(CurlRuntime.losesRequests(libraries) == losesRequests)
    }

    @Test(
        "The numbers are those of curl.h",
        arguments: [
            (HTTPVersionChoice.http1, 2), (.negotiated, 4), (.negotiatedHTTP2, 4), (.priorKnowledge, 5), (.http3, 30),
            (.http3Only, 31),
        ]
    )
    func numbers(choice: HTTPVersionChoice, number: Int) {
        #expect(choice.curlValue == number)
    }

    @Test(
        "What libcurl lacks is named, with any URL",
        arguments: [
            (HTTPVersions.http2, "HTTP/2"), (.http2PriorKnowledge, "HTTP/2"), (.http3, "HTTP/3"),
            (.http3Only, "HTTP/3"),
        ]
    )
    func lacking(versions: HTTPVersions, what: String) {
        let plain = HTTPVersionSupport(http2: false, http3: false, reportsNegotiation: true, name: "libcurl/1.2.3")
        for isSecure in [false, true] {
            let error = #expect(throws: CurlSessionError.self) { try versions.choice(isSecure: isSecure, plain) }
            #expect(error?.code == .httpVersionUnsupported)
            #expect(error?.message.contains("\(what), which libcurl/1.2.3 lacks") == true)
        }
    }

    @Test("HTTP/2 cannot be required of a TLS library that does not tell what was negotiated")
    func withoutNegotiation() throws {
        let support = HTTPVersionSupport(http2: true, http3: false, reportsNegotiation: false, name: "libcurl GnuTLS")
        #expect(try HTTPVersions.automatic.choice(isSecure: true, support) == .negotiated)
        let error = #expect(throws: CurlSessionError.self) { try HTTPVersions.http2.choice(isSecure: true, support) }
        #expect(error?.message.contains("OpenSSL") == true)
    }

    // MARK: - Over sockets

    private func session(
        _ versions: HTTPVersions,
        _ change: (inout CurlSession.Options) -> Void = { _ in }
    ) -> CurlSession {
        var options = CurlSession.Options()
        options.proxy = .none
        options.httpVersions = versions
        // A request that fails for good is not tried again.
        options.retryPolicy = .standard
        change(&options)
        return Wire.session(options: options)
    }

    private func failure(_ session: CurlSession, _ url: URL) async -> URLError? {
        await #expect(throws: URLError.self) { try await session.data(from: url) }
    }

    @Test("Without HTTP/3 in libcurl, requests for it fail at once, and say what is missing")
    func withoutHTTP3() async throws {
        let runtime = try CurlRuntime.current()
        guard !runtime.supportsHTTP3 else { return }
        let server = try LoopbackServer()
        for versions in [HTTPVersions.http3, .http3Only] {
            let error = await failure(session(versions), server.url)
            #expect(error?.code == .cannotConnectToHost)
            #expect(error?.ferryCode == .httpVersionUnsupported)
            #expect(error?.localizedDescription.contains("HTTP/3, which \(runtime) lacks") == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("A URL without TLS cannot have a version that needs it")
    func withoutTLS() async throws {
        let server = try LoopbackServer()
        let error = await failure(session(.http2), server.url)
        #expect(error?.ferryCode == .httpVersionUnsupported)
        #expect(error?.localizedDescription.contains("http2PriorKnowledge") == true)
        #expect(server.requests.isEmpty)
    }

    @Test("A body with trailers is not sent where HTTP/1.1 is excluded")
    func trailers() async throws {
        let server = try LoopbackServer()
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "PUT"
        let body = RequestBody(AsyncStream<Data> { $0.finish() }) { ["X-Sum": "1"] }
        let error = await #expect(throws: URLError.self) {
            try await session(.http2PriorKnowledge).upload(for: request, body: body)
        }
        #expect(error?.ferryCode == .httpVersionUnsupported)
        #expect(server.requests.isEmpty)
    }

    @Test("Requests with prior knowledge of HTTP/2 fail if the server has only HTTP/1.1", arguments: ["GET", "POST"])
    func refusal(_ method: String) async throws {
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        let session = session(.http2PriorKnowledge) { $0.retryPolicy = nil }
        var request = URLRequest(url: server.url())
        request.httpMethod = method
        let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
        #expect(error?.code == .networkConnectionLost)
        #expect(error?.ferryCode == .httpVersionRefused)
    }

    @Test("Many requests to such a server fail, each with the reason", arguments: ["GET", "POST"])
    func manyRefusals(_ method: String) async throws {
        let server = try RawServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        let session = session(.http2PriorKnowledge) { $0.retryPolicy = nil }
        await withTaskGroup(of: URLError?.self) { group in
            for _ in 0..<30 {
                group.addTask { await Wire.error { try await session.data(for: Wire.request(server.url(), method)) } }
            }
            // Before 8.0, libcurl may only report that the connection of a POST was lost.
            let reasons: [CurlSessionError.Code] = [.httpVersionRefused] + (method == "POST" ? [.notRepeated] : [])
            for await error in group { #expect(error?.ferryCode.map(reasons.contains) == true) }
        }
    }

    @Test("A host that refuses connections is reported as such", arguments: 1...2)
    func unreachable(_ count: Int) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let session = session(.http2PriorKnowledge) { $0.retryPolicy = nil }
        for _ in 0..<count {
            let error = await failure(session, url)
            #expect(error?.code == .cannotConnectToHost)
            #expect(error?.ferryCode == .curl)
        }
    }
}
