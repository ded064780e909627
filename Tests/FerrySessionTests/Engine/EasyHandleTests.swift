import FerryTesting
import Testing

@testable import FerrySession

@Suite("Handles between requests") struct EasyHandleTests {
    private let header = CurlOption.httpHeader

    @Test("Plain header lists are kept for the next request; those with secrets are not")
    func lists() throws {
        _ = try CurlRuntime.current()
        let handle = try #require(EasyHandle())
        handle.setList(header, ["Accept: text/plain"])
        handle.setList(CurlOption.proxyHeader, ["Proxy-Authorization: Basic secret"], isSecret: true)
        #expect(handle.reset(isReusable: true))
        #expect(handle.keptLines == ["Accept: text/plain"])
        handle.setList(header, ["Accept: text/plain", "Cookie: a=secret"], isSecret: true)
        #expect(handle.keptLines.count == 2)
        #expect(handle.reset(isReusable: false))
        #expect(handle.keptLines.isEmpty)
        handle.setList(header, ["Accept: text/plain"])
        #expect(handle.reset(isReusable: true))
        #expect(handle.keptLines == ["Accept: text/plain"])
    }

    @Test("A handle whose request has been sent frees all of its lists")
    func forgotten() throws {
        _ = try CurlRuntime.current()
        let handle = try #require(EasyHandle())
        for _ in 0..<2 {
            handle.setList(header, ["Cookie: a=secret", "Content-Type:"], isSecret: true, commonCount: 1)
            handle.setList(CurlOption.proxyHeader, ["A: b"])
            #expect(handle.keptLines.count == 4)
            handle.forgetLists()
            #expect(handle.keptLines.isEmpty)
        }
    }

    @Test("The common lines of lists with secrets are kept alone")
    func common() throws {
        _ = try CurlRuntime.current()
        let handle = try #require(EasyHandle())
        let common = ["User-Agent: test", "Content-Type:"]
        for secrets in [["Cookie: a=secret"], [], ["Authorization: secret", "Cookie: a=secret"]] {
            handle.setList(header, secrets + common, isSecret: true, commonCount: 2)
            #expect(handle.reset(isReusable: true))
            #expect(handle.keptLines == common)
        }
        // One list replaces another, and the common lines change while they are the end of a list.
        handle.setList(header, ["Cookie: a=secret"] + common, isSecret: true, commonCount: 2)
        handle.setList(header, ["Cookie: b=secret", "Content-Type:"], isSecret: true, commonCount: 1)
        handle.setList(header, ["Accept: text/plain"])
        #expect(handle.keptLines == ["Accept: text/plain", "Content-Type:"])
        handle.setList(header, [])
        #expect(handle.keptLines == ["Content-Type:"])
    }

    @Test(
        "Requests with credentials send them each time on one connection, and a plain one after them does not"
    )
    func wire() async throws {
        let server = try LoopbackServer()
        // Otherwise the second request would be answered from the cache.
        let session = makeSession { $0.urlCache = nil }
        var request = URLRequest(url: server.url("/bytes/1"))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        for _ in 0..<2 { _ = try await session.data(for: request) }
        _ = try await session.data(from: server.url("/bytes/1"))
        _ = try await session.data(for: request)
        #expect(server.requests.map { $0.header("Authorization") != nil } == [true, true, false, true])
        #expect(server.connectionCount == 1)
    }

    @Test(
        "Secrets are detected in a request's own fields, the session's fields and cookies",
        arguments: [
            ([:], [:], false), (["X-Plain": "p"], [:], false), (["authorization": "Bearer s"], [:], true),
            (["COOKIE": "a=s"], [:], true), (["Proxy-Authorization": "Basic s"], [:], true),
            (["X-Api-Key": "s"], [:], true), ([:], ["Authorization": "Bearer s"], true), ([:], ["X-Plain": "p"], false),
        ] as [([String: String], [String: String], Bool)]
    )
    func secrets(_ fields: [String: String], _ additional: [String: String], _ hasSecrets: Bool) throws {
        var options = CurlSession.Options()
        options.sensitiveHeaders = ["X-API-Key"]
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = additional
        let session = CurlSession(configuration: configuration, options: options, delegate: nil)
        let url = try #require(URL(string: "http://127.0.0.1/"))
        var request = URLRequest(url: url)
        request.allHTTPHeaderFields = fields
        let settings = session.settings
        #expect(try PreparedRequest(request, settings: settings, context: .init()).hasSecrets == hasSecrets)
        let cookie = try #require(
            HTTPCookie(properties: [.name: "a", .value: "s", .domain: "127.0.0.1", .path: "/"])
        )
        configuration.httpCookieStorage?.setCookie(cookie)
        #expect(try PreparedRequest(request, settings: settings, context: .init()).hasSecrets)
    }
}
