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
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/chat?a=b"))
        var answer = ""
        for try await token in TokenStream(url, configuration: .ephemeral).answer(to: "hi") {
            answer += token
            received.change { $0 += 1 }
        }
        #expect(answer == "Hello world")
        try await eventually("the end of the connection") { server.finished == 1 }
        #expect(server.texts.first?.hasPrefix("POST /v1/chat?a=b HTTP/1.1\r\n") == true)
        #expect(server.texts.first?.contains("\"prompt\":\"hi\"") == true)
    }

    @Test(
        "An answer without its end, an error event and a refusal are errors",
        arguments: [
            (Self.head + "data: {\"token\":\"x\"}\n\n", TokenStream.Failure.incomplete),
            (Self.head + "event: error\ndata: overloaded\n\n", .service("overloaded")),
            ("HTTP/1.1 429 Too Many\r\nContent-Length: 4\r\nConnection: close\r\n\r\nslow", nil),
        ]
    )
    func failures(answer: String, expected: TokenStream.Failure?) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(answer)
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        do {
            for try await _ in TokenStream(url, configuration: .ephemeral).answer(to: "hi") {}
            Issue.record("The answer has ended")
        } catch {
            #expect(error as? TokenStream.Failure == expected)
            if expected == nil { #expect((error as? NetworkError)?.data == Data("slow".utf8)) }
        }
    }

    @Test("An answer that is given up closes its connection")
    func cancelling() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.head + "data: {\"token\":\"x\"}\n\n")
            connection.readAll()
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        for try await _ in TokenStream(url, configuration: .ephemeral).answer(to: "hi") { break }
        try await eventually("the end of the connection") { server.finished == 1 }
    }
}
