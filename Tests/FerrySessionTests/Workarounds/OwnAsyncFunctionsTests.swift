import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// What programs for Linux added to `URLSession` before FoundationNetworking had `async` functions.
extension URLSession {
    fileprivate func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            let task = dataTask(with: request) { data, response, error in
                guard let data, let response else {
                    return continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
                continuation.resume(returning: (data, response))
            }
            task.resume()
        }
    }
}

private protocol Loader {
    func data(from url: URL) async throws -> (Data, URLResponse)
}

extension CurlSession: Loader {}

@Suite(.timeLimit(.minutes(5)))
struct OwnAsyncFunctionsTests {
    @Test("An async function that a program adds to URLSession does not make that of a CurlSession ambiguous")
    func own() async throws {
        let server = try LoopbackServer()
        let session = CurlSession(configuration: .ephemeral)
        let request = URLRequest(url: server.url("/bytes/10"))
        for (data, response) in [
            try await session.data(for: request), try await session.data(for: request, delegate: nil),
            try await session.data(from: server.url("/bytes/10")),
        ] {
            #expect(data.count == 10)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        session.invalidateAndCancel()
    }

    @Test("An async function without a delegate satisfies the requirement of a protocol") func requirement()
        async throws
    {
        let server = try LoopbackServer()
        let session = CurlSession(configuration: .ephemeral)
        let loader: any Loader = session
        #expect(try await loader.data(from: server.url("/bytes/10")).0.count == 10)
        let function = session.data(from:)
        #expect(try await function(server.url("/bytes/10")).0.count == 10)
        session.invalidateAndCancel()
    }
}
