import Ferry
import FerryAPI
import FerryAssets
import FerryOperations
import FerryTesting
import Foundation
import TestSupport
import Testing

/// Secrets in values that programs print, such as requests, appear in no description of them.
@Suite("Planted secrets in values", .timeLimit(.minutes(5)))
struct PlantedSecretValuesTests {
    private static let mark = PlantedSecrets.mark
    private static let address = "http://\(PlantedSecrets.userInfo)127.0.0.1/x?access_token=\(mark)&a=b#token=\(mark)"

    private func url() throws -> URL { try #require(URL(string: Self.address)) }

    private func urlRequest() throws -> URLRequest {
        var request = URLRequest(url: try url())
        request.httpMethod = "POST"
        request.setValue("Bearer \(Self.mark)", forHTTPHeaderField: "Authorization")
        request.httpBody = Data("password=\(Self.mark)".utf8)
        return request
    }

    /// Expects that no printed text of a value has a secret.
    private func expectNone(_ value: Any?, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(PlantedSecrets.findings([value]) == [], sourceLocation: sourceLocation)
    }

    @Test("Secrets are in no description of a request") func requests() throws {
        let mark = Self.mark
        var request = Request<String>(.post, Self.address, serializer: .string)
        request.headers = .bearer(mark)
        request.parameters = ["password": .string(mark)]
        expectNone(request)
        #expect("\(request)" == "POST http://127.0.0.1/x?access_token=<redacted>&a=b#token=<redacted>")
        expectNone(request.headers)
        expectNone(AdaptedRequest(try urlRequest()))
        expectNone(RequestAttempt(number: 2, originalURL: try url()))
        expectNone(try RequestDescriptor(try urlRequest()))
        expectNone(try urlRequest().curlCommand)
        expectNone(HTTPRequestOperation(request: try urlRequest()))
    }

    @Test("Secrets are in no description of serializers, managers' descriptions and options") func settings() throws {
        let manager = HTTPSessionManager(baseURL: try url(), configuration: .ephemeral)
        manager.requestSerializer.headers.setAuthorization(bearerToken: Self.mark)
        expectNone(manager.requestSerializer)
        expectNone(try HTTPManagerDescriptor(manager))
        var options = CurlSession.Options()
        let proxy = try #require(URL(string: "http://\(PlantedSecrets.userInfo)127.0.0.1:3128"))
        options.proxy = try CurlSession.Proxy(proxy)
        expectNone(options)
    }

    @Test("Secrets are in no description of links and errors") func errors() throws {
        let links = Link.links(in: ["<\(Self.address)>; rel=next; anchor=\"\(Self.address)\""], relativeTo: try url())
        #expect(links.count == 1)
        expectNone(links)
        expectNone(PaginationError.otherOrigin(try url()))
        var error = NetworkError(.badURL, message: "m", underlyingError: PaginationError.otherOrigin(try url()))
        error.failingURL = try url()
        expectNone(error)
        expectNone(RequestSerializationError(.invalidURL, reason: "r", failingURL: Self.address))
    }

    @Test("Secrets are in neither the receipt nor the error of an asset whose request was cancelled")
    func assets() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("x").faulted(.stallBeforeHead) }
        let manager = SessionManager(configuration: .ephemeral)
        let downloader = AssetDownloader(manager: manager, serializer: .data, cache: nil)
        let text = "http://\(PlantedSecrets.userInfo)127.0.0.1:\(server.port)/x?access_token=\(Self.mark)"
        let request = URLRequest(url: try #require(URL(string: text)))
        let response = await withCheckedContinuation { done in
            let receipt = downloader.download(request) { done.resume(returning: $0) }
            expectNone(receipt)
            if let receipt { downloader.cancel(receipt) }
        }
        #expect(response.error?.isCancelled == true)
        expectNone(response)
        expectNone(response.error)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await downloader.value(for: request)
        }
        let result = await task.result
        #expect(throws: NetworkError.self) { try result.get() }
        expectNone(result)
    }

    /// A signer and retrier that searches its arguments for secrets.
    private struct Searcher: RequestSigner {
        let findings: Watched<[String]>
        let calls: Watched<Int>

        func signature(for request: SignableRequest, in attempt: RequestAttempt) async throws -> [String: String] {
            note([request, request.headerFields, attempt])
            return [:]
        }

        func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision {
            note([attempt, failure])
            return .proceed
        }

        private func note(_ values: [Any]) {
            let found = PlantedSecrets.findings(values)
            findings.change { $0 += found }
            calls.change { $0 += 1 }
        }
    }

    @Test("Secrets are in no description of what interceptors are given") func interceptors() async throws {
        let server = try LoopbackServer { request in
            LoopbackResponse.text("no", statusCode: 503).adding("Set-Cookie", "sid=\(Self.mark)")
        }
        let searcher = Searcher(findings: Watched([]), calls: Watched(0))
        let manager = HTTPSessionManager(configuration: .ephemeral)
        manager.interceptors = [searcher]
        let text = "http://\(PlantedSecrets.userInfo)127.0.0.1:\(server.port)/?access_token=\(Self.mark)"
        let request = Request(.get, text, serializer: .string).headers(["X-Api-Key": Self.mark])
        let response = await manager.response(for: request)
        #expect(response.statusCode == 503)
        #expect(searcher.calls.current == 2)
        #expect(searcher.findings.current == [])
    }
}
