import FerrySession
import FerryTesting
import TestSupport
import Testing

/// The fields after a response's body.
struct TrailerTests {
    @Test("Trailers are reachable one by one when the body is complete, and are no header fields")
    func trailers() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(
                headers: ["X-Head": "h"],
                body: .chunked(
                    [Data("a".utf8), Data("b".utf8)],
                    trailers: ["X-Sum": "1", "x-sum": "2", "Server-Timing": "t"]
                )
            )
        }
        let (data, response) = try await makeSession().data(from: server.url)
        let http = try #require(response as? HTTPURLResponse)
        #expect(data == Data("ab".utf8))
        #expect(http.receivedTrailers.map { "\($0.name)=\($0.value)" } == ["X-Sum=1", "x-sum=2", "Server-Timing=t"])
        #expect(http.value(forHTTPHeaderField: "X-Sum") == nil)
        #expect(http.value(forHTTPHeaderField: "X-Head") == "h")
    }

    @Test("A response without trailers has none")
    func none() async throws {
        let server = try LoopbackServer { _ in .text("text") }
        let response = try await makeSession().data(from: server.url).1 as? HTTPURLResponse
        #expect(response?.receivedTrailers.isEmpty == true)
    }

    @Test("Trailers that are malformed or too many are an error, as in a header", arguments: [1_001, 1])
    func hostile(_ count: Int) async throws {
        let lines = count == 1 ? "no field at all\r\n" : String(repeating: "X-T: v\r\n", count: count)
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse()
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            response.rawHead = Data("\(head)1\r\na\r\n0\r\n\(lines)\r\n".utf8)
            return response
        }
        let error = await #expect(throws: URLError.self) { try await makeSession().data(from: server.url) }
        #expect([.cannotParseResponse, .dataLengthExceedsMaximum].contains(error?.code))
    }
}
