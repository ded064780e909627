import FerryTesting
import Testing

@testable import FerrySession

@Suite("Floods of cookies", .ownThreads, .timeLimit(.minutes(5)))
struct CookieFloodTests {
    private static let lines = (0..<900).map { "Set-Cookie: n\($0)=1; Path=/\r\n" }.joined()

    /// Responds to each request of a connection with hundreds of cookies.
    private func makeHostileServer() throws -> RawServer {
        try RawServer { connection in
            while connection.readHead().hasSuffix("\r\n\r\n") {
                if !connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(Self.lines)\r\nok") { return }
            }
        }
    }

    enum Kind: CaseIterable, Sendable {
        case async
        case data
        case upload
        case download
    }

    private func load(_ url: URL, _ kind: Kind, _ session: CurlSession) async throws -> Int? {
        let request = URLRequest(url: url)
        if kind == .async {
            return (try await session.data(for: request).1 as? HTTPURLResponse)?.statusCode
        }
        let outcome: Outcome<Data> = await withCheckedContinuation { continuation in
            switch kind {
            case .upload:
                var upload = request
                upload.httpMethod = "PUT"
                session.uploadTask(with: upload, from: Data()) { data, response, error in
                    continuation.resume(returning: Outcome(data, response, error))
                }.resume()
            case .download:
                session.downloadTask(with: request) { _, response, error in
                    continuation.resume(returning: Outcome(nil, response, error))
                }.resume()
            case .async, .data:
                session.dataTask(with: request) { data, response, error in
                    continuation.resume(returning: Outcome(data, response, error))
                }.resume()
            }
        }
        if let error = outcome.error { throw error }
        return outcome.status
    }

    @Test("900 cookies in one head delay no other request of the session", arguments: Kind.allCases)
    func flood(_ kind: Kind) async throws {
        let hostile = try makeHostileServer()
        let session = makeSession()
        let status = try await Bystander.watching(session) {
            try await load(hostile.url("/"), kind, session)
        }
        #expect(status == 200)
        await flush(session)
        let cookies = session.configuration.httpCookieStorage?.cookies ?? []
        #expect(cookies.count == CookieStoreRule.maximumFields)
        #expect(cookies.contains { $0.name == "n0" } && !cookies.contains { $0.name == "n180" })
    }

    @Test("A response over http does not replace, hide or delete a Secure cookie")
    func secure() async throws {
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse.text("set")
            response.headers.add("Set-Cookie", "id=evil; Path=/")
            response.headers.add("Set-Cookie", "id=; Path=/; Max-Age=0")
            response.headers.add("Set-Cookie", "id=evil; Path=/deeper")
            response.headers.add("Set-Cookie", "other=1; Path=/")
            return response
        }
        let session = makeSession()
        let storage = try #require(session.configuration.httpCookieStorage)
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: "id", .value: "good", .domain: server.url.host ?? "", .path: "/", .secure: "TRUE",
            ])
        )
        storage.setCookie(cookie)
        _ = try await session.data(from: server.url("/deeper/page"))
        let cookies = (storage.cookies ?? []).map { "\($0.name)=\($0.value)" }.sorted()
        #expect(cookies == ["id=good", "other=1"])
    }

    private func flush(_ session: CurlSession) async {
        await withCheckedContinuation { continuation in session.flush { continuation.resume() } }
    }
}
