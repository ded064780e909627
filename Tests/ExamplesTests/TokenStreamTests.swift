import Ferry
import Foundation
import TestSupport
import Testing

@testable import Examples

@Suite("Example: token stream", .timeLimit(.minutes(2)))
struct TokenStreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

    @Test("Tokens arrive one by one, and the answer ends with [DONE]")
    func tokens() async throws {
        let received = Watched(0)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.head)
            for (index, token) in ["Hello", " ", "world"].enumerated() {
                connection.write("data: {\"token\":\"\(token)\"}\n\n")
                // The next token is made only when this one has been read.
                received.block { $0 > index }
            }
            connection.write("data: [DONE]\n\n")
            connection.readAll()
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        var answer = ""
        for try await token in TokenStream(url, session: CurlSession(configuration: .ephemeral)).answer(to: "hi") {
            answer += token
            received.change { $0 += 1 }
        }
        #expect(answer == "Hello world")
        try await eventually("the end of the connection") { server.finished == 1 }
        #expect(server.texts.first?.contains("\"prompt\":\"hi\"") == true)
    }

    @Test("An answer that is given up closes its connection")
    func cancelling() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.head + "data: {\"token\":\"x\"}\n\n")
            connection.readAll()
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        for try await _ in TokenStream(url, session: CurlSession(configuration: .ephemeral)).answer(to: "hi") { break }
        try await eventually("the end of the connection") { server.finished == 1 }
    }
}
