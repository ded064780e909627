import Ferry
import FerryTesting
import Testing

/// The snippets about tests and stubs, which are themselves tests.
@Suite("Snippets that run", .timeLimit(.minutes(1)))
struct TestingSnippets {
    @Test func showsTheServersAnswer() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("GET", "/users/:id") {
                .json(#"{"id":\#($0.parameters["id"] ?? "0"),"name":"Ada"}"#)
            },
            LoopbackRoute("POST", "/users") { _ in
                .status(201, headers: ["Location": "/users/2"])
            },
        ])
        let manager = HTTPSessionManager(baseURL: server.url)
        let user = try await manager.get("users/1", as: User.self)
        #expect(user.name == "Ada")
        #expect(server.requests.map(\.target) == ["/users/1"])
    }

    @Test func survivesABrokenConnection() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([
                .pattern(count: 1_000_000).faulted(.reset(afterBodyBytes: 4_096)),
                .text("at last"),
            ])
        )
        let manager = HTTPSessionManager(baseURL: server.url)
        let first = await manager.response(for: .get("", serializer: .string))
        #expect(first.error?.isRetryable == true)
        #expect(try await manager.send(.get("", serializer: .string)) == "at last")
    }

    @Test func waitsForAServerToBeLeft() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let session = CurlSession(configuration: .ephemeral)
        let task = session.dataTask(with: server.url) { _, _, _ in }
        task.resume()
        try await server.waitForRequests(1)
        task.cancel()
        try await server.waitForOpenConnections(atMost: 0)
    }

    @Test func answersInTheProcess() async throws {
        let url = try #require(URL(string: "https://canned.example/beans"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [CannedProtocol.self]
        let session = CurlSession(configuration: configuration)
        let (data, _) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "tinned")
    }
}

final class CannedProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host == "canned.example"
    }

    override class func canonicalRequest(
        for request: URLRequest
    ) -> URLRequest { request }

    override func startLoading() {
        let response = request.url.flatMap {
            HTTPURLResponse(
                url: $0,
                statusCode: 200,
                httpVersion: nil,
                headerFields: ["Content-Type": "text/plain"]
            )
        }
        guard let client, let response else { return }
        client.urlProtocol(
            self,
            didReceive: response,
            cacheStoragePolicy: .notAllowed
        )
        client.urlProtocol(self, didLoad: Data("tinned".utf8))
        client.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

final class ForwardingProtocol: URLProtocol {
    private var inner: URLSessionTask?

    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(
        for request: URLRequest
    ) -> URLRequest { request }

    override func startLoading() {
        nonisolated(unsafe) let load = self
        inner = CurlSession.shared.dataTask(with: request) { body, response, error in
            guard let client = load.client else { return }
            if let error {
                return client.urlProtocol(load, didFailWithError: error)
            }
            if let response {
                client.urlProtocol(
                    load,
                    didReceive: response,
                    cacheStoragePolicy: .notAllowed
                )
            }
            client.urlProtocol(load, didLoad: body ?? Data())
            client.urlProtocolDidFinishLoading(load)
        }
        inner?.resume()
    }

    override func stopLoading() { inner?.cancel() }
}
