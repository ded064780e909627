import Ferry
import FerryTesting
import Foundation
import Testing

/// The deprecated adapters, which change requests as before.
@Suite("Request adapters", .timeLimit(.minutes(5)))
struct RequestAdapterTests {
    @available(*, deprecated)
    private struct Append: RequestAdapter {
        let text: String

        func adapt(_ request: URLRequest) throws -> URLRequest {
            var copy = request
            copy.setValue((request.value(forHTTPHeaderField: "X-Seen") ?? "") + text, forHTTPHeaderField: "X-Seen")
            return copy
        }
    }

    @available(*, deprecated)
    private struct Refuse: RequestAdapter {
        func adapt(_ request: URLRequest) throws -> URLRequest { throw Refusal() }
    }

    private struct Refusal: Error {}

    @available(*, deprecated)
    @Test("They change every request, in order, also those of a copy, and may refuse it", arguments: TestTransport.all)
    func adapters(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { .text($0.header("X-Seen") ?? "") }
        let manager = transport.manager(baseURL: server.url)
        manager.adapters = [Append(text: "a"), Append(text: "b")]
        #expect(manager.adapters.compactMap { ($0 as? Append)?.text } == ["a", "b"])
        #expect(try await manager.send(.get("x", serializer: .string)) == "ab")
        #expect(try await manager.copy().send(.get("x", serializer: .string)) == "ab")
        manager.adapters = [Refuse()]
        let count = server.requestCount
        let error = await manager.response(for: .get("x")).error
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.underlyingError is Refusal)
        #expect(server.requestCount == count)
    }
}
