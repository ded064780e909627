import FerryTesting
import Foundation
import Testing

@testable import Ferry

@Suite("Header fields of a response", .timeLimit(.minutes(5)))
struct ResponseFieldsTests {
    private static let cookies = ["a=1; Expires=Sun, 06 Nov 2094 08:49:37 GMT", "b=2; Path=/"]

    private func server() throws -> LoopbackServer {
        try LoopbackServer { _ in
            .text("x").adding("Set-Cookie", Self.cookies[0]).adding("X-A", "1").adding("set-cookie", Self.cookies[1])
                .adding("x-a", "").adding("X-a", "3, 4")
        }
    }

    @Test("Fields of one name are separate and in the order received")
    func separate() async throws {
        let server = try server()
        let manager = TestTransport.all[0].manager(baseURL: server.url)
        let response = await manager.response(for: .get("x", serializer: .string))
        #expect(response.value == "x")
        let head = try #require(response.httpResponse)
        #expect(head.headerFields.values(for: "SET-COOKIE") == Self.cookies)
        #expect(head.headerFields.values(for: "x-A") == ["1", "", "3, 4"])
        #expect(head.headerFields.values(for: "missing") == [])
        let names = head.headerFields.map(\.name).filter { ["x-a", "set-cookie"].contains($0.lowercased()) }
        #expect(names == ["Set-Cookie", "X-A", "set-cookie", "x-a", "X-a"])
        #expect(response.headerFields.values(for: "Set-Cookie") == Self.cookies)
        // URLSession's guarantees still hold.
        #expect(head.value(forHTTPHeaderField: "X-A") == "1, , 3, 4")
        #expect(response.headerFields["X-A"] == "1, , 3, 4")
    }

    @Test("A stored response has separate fields too")
    func cached() async throws {
        let server = try LoopbackServer { _ in
            .text("x").adding("Cache-Control", "max-age=600").adding("X-A", "1").adding("X-A", "2")
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let manager = TestTransport.all[0].manager(baseURL: server.url, configuration: configuration)
        for _ in 0..<2 {
            let response = await manager.response(for: .get("x", serializer: .string))
            #expect(response.headerFields.values(for: "X-A") == ["1", "2"])
        }
        #expect(server.requests.count == 1)
    }

    @Test("The error of a response has its fields")
    func error() async throws {
        let server = try LoopbackServer { _ in .text("x", statusCode: 404).adding("X-A", "1").adding("X-A", "2") }
        let manager = TestTransport.all[0].manager(baseURL: server.url)
        let error = await #expect(throws: NetworkError.self) {
            try await manager.send(.get("x", serializer: .string))
        }
        #expect(error?.response?.headerFields.values(for: "x-a") == ["1", "2"])
    }

    @Test("A response that is not of a CurlSession has one joined field for each name, sorted by name")
    func joined() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let fields = ["X-B": "2", "X-A": "1, 2"]
        let made = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
        #expect(made.headerFields.map(\.description) == ["X-A: 1, 2", "X-B: 2"])
        #expect(made.headerFields.values(for: "x-a") == ["1, 2"])
    }

    @Test("The fields after a body are trailers, and no header fields")
    func trailers() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(body: .chunked([Data("a".utf8)], trailers: ["X-Sum": "1", "X-SUM": "2"]))
        }
        let manager = TestTransport.all[0].manager(baseURL: server.url)
        let response = await manager.response(for: .get("x", serializer: .string))
        #expect(response.trailerFields.map(\.description) == ["X-Sum: 1", "X-SUM: 2"])
        #expect(response.trailerFields["x-sum"] == "1, 2")
        #expect(response.headerFields.values(for: "X-Sum") == [])
    }

    @Test("Without a response there are no fields")
    func none() {
        let response = TaskResponse<Data>()
        #expect(response.headerFields.values(for: "X-A") == [])
        #expect(response.trailerFields.isEmpty)
    }
}
