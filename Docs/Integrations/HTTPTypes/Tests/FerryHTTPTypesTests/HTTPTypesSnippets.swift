import Ferry
import FerryHTTPTypes
import FerryTesting
import HTTPTypes
import Testing

/// What the article about integrations shows, compared by the root package's DocumentationTests.
@Suite("HTTPTypes in the documentation", .timeLimit(.minutes(5)))
struct HTTPTypesSnippets {
    @Test("The example sends a request and reads every cookie")
    func sends() async throws {
        let server = try LoopbackServer { request in
            .json(request.bodyText ?? "").adding("Set-Cookie", "a=1").adding("Set-Cookie", "b=2")
        }
        let reply = try await Self.post(to: "127.0.0.1:\(server.port)")
        #expect(reply.response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(server.requests.first?.bodyText == #"{"name":"Ada"}"#)
    }

    private static func post(to authority: String) async throws -> HTTPReply<Data> {
        let session = CurlSession(configuration: .default)
        var request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: authority,
            path: "/users"
        )
        request.headerFields[.contentType] = "application/json"
        let reply = try await session.reply(
            to: request,
            body: Data(#"{"name":"Ada"}"#.utf8)
        )
        print(reply.response.status, reply.response.headerFields[values: .setCookie])
        return reply
    }
}
