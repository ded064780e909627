import FerryTesting
import ProxySupport
import TestSupport
import Testing

@testable import FerrySession

/// Bodies of requests on a connection on which libcurl has sent a request without its body, to get a challenge.
@Suite("Omitted bodies", .timeLimit(.minutes(5)))
struct OmittedBodyTests {
    private static let body = Data(repeating: 65, count: 1_000)

    /// A server that asks for a Digest credential at `/private`, and then answers with a status; elsewhere it responds
    /// with the number of bytes that it has received.
    private static func handler(_ status: Int) -> LoopbackServer.Handler {
        { request in
            guard request.path == "/private" else { return .text("\(request.bodyLength)") }
            if request.header("Authorization") == nil {
                let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
                return .text("no", statusCode: 401).adding("WWW-Authenticate", challenge)
            }
            return LoopbackResponse.text("done", statusCode: status).adding("Location", "/open")
        }
    }

    private static func send(_ method: String, _ url: URL, in session: CurlSession) async throws -> String {
        let (data, _) = try await session.upload(for: Wire.request(url, method), from: body)
        return String(decoding: data, as: UTF8.self)
    }

    @Test("A body is sent after a request that omitted it, whatever its status", arguments: [503, 404, 307, 308])
    func sent(status: Int) async throws {
        let server = try LoopbackServer(handler: Self.handler(status))
        let session = Wire.session(CredentialDelegate(password: "secret"))
        let first = try await Self.send("PUT", server.url("/private"), in: session)
        #expect(first == (status < 400 ? "1000" : "done"))
        for method in ["PUT", "POST"] {
            #expect(try await Self.send(method, server.url("/open"), in: session) == "1000")
        }
    }

    @Test(
        "A body is sent after an empty request that the server has not asked for its credential again",
        arguments: [200, 204, 404, 503, 307],
        [true, false]
    )
    func afterEmptyBody(status: Int, isMade: Bool) async throws {
        let challenges = Watched(0)
        let server = try LoopbackServer { request in
            guard request.path == "/private" else { return .text("\(request.bodyLength)") }
            challenges.change { $0 += 1 }
            guard challenges.current > 1 else {
                return .text("no", statusCode: 401).adding("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\"")
            }
            return LoopbackResponse.text("done", statusCode: status).adding("Location", "/open")
        }
        let session = Wire.session(CredentialDelegate(password: "secret"))
        let request = Wire.request(server.url("/private"), "PUT")
        let empty = RequestBody(length: 0) { AsyncStream<Data> { $0.finish() } }
        let (_, response) =
            isMade
            ? try await session.upload(for: request, body: empty) : try await session.upload(for: request, from: Data())
        #expect((response as? HTTPURLResponse)?.statusCode == (status == 307 ? 200 : status))
        if !isMade { #expect(challenges.current == 2) }
        #expect(try await Self.send("PUT", server.url("/open"), in: session) == "1000")
    }

    @Test("A body that was omitted is sent later over a Unix-domain socket too") func unixSocket() async throws {
        let server = try LoopbackServer(handler: Self.handler(503))
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("socket").path
        let relay = try UnixRelay(path: path, to: server.port)
        var options = CurlSession.Options()
        options.network.unixSocket = .path(path)
        let session = Wire.session(CredentialDelegate(password: "secret"), options: options)
        _ = try await Self.send("PUT", server.url("/private"), in: session)
        #expect(try await Self.send("PUT", server.url("/open"), in: session) == "1000")
        #expect(relay.forwarded > 0)
    }
}
