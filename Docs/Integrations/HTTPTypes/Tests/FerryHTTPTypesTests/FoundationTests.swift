import Ferry
import FerryHTTPTypes
import FerryTesting
import HTTPTypes
import HTTPTypesFoundation
import Testing

@Suite("HTTPTypes together with HTTPTypesFoundation", .timeLimit(.minutes(5)))
struct FoundationTests {
    private func request(to server: LoopbackServer) throws -> HTTPRequest { HTTPRequest(url: server.url) }

    @Test("Both modules can be imported, and a reply is Ferry's")
    func together() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("x").adding("Set-Cookie", "a=1").adding("Set-Cookie", "b=2")
        }
        let session = CurlSession(configuration: .ephemeral)
        let reply = try await session.reply(to: request(to: server))
        #expect(reply.response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        let manager = SessionManager(configuration: .ephemeral)
        #expect(try await manager.reply(to: request(to: server)).body == Data("x".utf8))
    }

    @Test("A function of HTTPTypesFoundation uses the engine of a CurlSession")
    func foundation() async throws {
        let server = try LoopbackServer { .text($0.header("X-Session") ?? "none") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Session": "yes"]
        let session = CurlSession(configuration: configuration)
        let (data, response): (Data, HTTPResponse) = try await session.data(for: request(to: server))
        #expect(data == Data("yes".utf8))
        #expect(response.status == .ok)
    }
}
