import Ferry
import TestSupport
import Testing

extension NginxTests {
    /// Servers that require HTTP/1.1 for a request after it was sent over HTTP/2 (RFC 9113, section 7).
    @Suite("HTTP/1.1 instead of HTTP/2", .timeLimit(.minutes(1)), .enabled(if: PythonServer.isWanted))
    struct RequiredHTTP1Tests {
        enum Body: CaseIterable, Sendable {
            case none, data, sequence, singleSequence, stream, newStream

            var isReplayable: Bool { self != .singleSequence && self != .stream }
        }

        /// More than the window of a stream.
        private static let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        private static var chunks: AsyncStream<Data> {
            AsyncStream { continuation in
                for start in stride(from: 0, to: bytes.count, by: 1000) {
                    continuation.yield(bytes[start..<start + 1000])
                }
                continuation.finish()
            }
        }

        let server: NginxServer

        init() throws {
            server = try .shared()
        }

        private func peer(_ manner: RawHTTP2Peer.Manner?) throws -> RawHTTP2Peer {
            let certificates = server.certificates
            return try RawHTTP2Peer(manner, certificate: certificates.certificate(.good), key: certificates.key(.good))
        }

        private func reason(_ error: URLError?) -> CurlSessionError.Code? {
            (error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code
        }

        /// Sends a body, and returns the body of the response.
        private func send(_ body: Body, _ method: String, _ url: URL, _ session: CurlSession) async throws -> Data {
            var request = URLRequest(url: url)
            request.httpMethod = method
            switch body {
            case .none: break
            case .data: request.httpBody = Self.bytes
            case .sequence:
                return try await session.upload(for: request, body: RequestBody { Self.chunks }).0
            case .singleSequence:
                return try await session.upload(for: request, body: RequestBody(Self.chunks)).0
            case .stream, .newStream: request.httpBodyStream = InputStream(data: Self.bytes)
            }
            return try await session.data(for: request).0
        }

        @Test(
            "A body arrives whole, or is an error if it cannot be sent again",
            arguments: Body.allCases.flatMap { body in ["PUT", "POST"].map { (body, $0) } },
            [RawHTTP2Peer.Manner.requireHTTP1, .requireHTTP1Later]
        )
        func body(_ sent: (body: Body, method: String), _ manner: RawHTTP2Peer.Manner) async throws {
            let peer = try peer(manner)
            let streams = NewStreams(sent.body == .newStream ? Self.bytes : nil)
            let session = CurlSession.trusting(server, delegate: streams)
            defer { session.invalidateAndCancel() }
            if manner == .requireHTTP1Later { #expect(try await session.fetch(peer.url).0 == Data("ok".utf8)) }
            let result = await Task { try await send(sent.body, sent.method, peer.url, session) }.result
            switch result {
            case .success(let data): #expect(data == (sent.body == .none ? Data("ok".utf8) : Self.bytes))
            case .failure(let error):
                #expect(!sent.body.isReplayable)
                #expect(reason(error as? URLError) == .bodyNotReplayable, "\(error)")
            }
            // Before libcurl 8.1, the request uses another connection than the first request.
            if manner == .requireHTTP1, !sent.body.isReplayable { #expect((try? result.get()) == nil) }
        }

        /// nghttp2 does not send more over HTTP/2.
        @Test("A header of more than 64 KiB is sent over HTTP/1.1", arguments: [60_000, 66_000])
        func longHeader(_ length: Int) async throws {
            let peer = try peer(nil)
            let session = CurlSession.trusting(server)
            defer { session.invalidateAndCancel() }
            #expect(try await session.fetch(peer.url).1.receivedVersion == "HTTP/2")
            var request = URLRequest(url: peer.url)
            request.setValue(String(repeating: "v", count: length), forHTTPHeaderField: "X-Long")
            let (data, response) = try await session.fetch(request)
            #expect(data == Data("ok".utf8))
            #expect(response.receivedVersion == (length > 65_536 ? "HTTP/1.1" : "HTTP/2"))
        }

        @Test("Nothing is sent over HTTP/1.1 where it is excluded", arguments: [Body.none, .data, .sequence])
        func excluded(_ body: Body) async throws {
            let peer = try peer(.requireHTTP1)
            let session = CurlSession.trusting(server) { $0.httpVersions = .http2 }
            defer { session.invalidateAndCancel() }
            let error = await #expect(throws: URLError.self) { try await send(body, "PUT", peer.url, session) }
            #expect(reason(error) == .httpVersionRefused)
        }

        @Test("No other response is appended to half of one", arguments: ["GET", "DELETE", "POST"])
        func halfResponse(_ method: String) async throws {
            let peer = try peer(.requireHTTP1Halfway)
            let session = CurlSession.trusting(server)
            defer { session.invalidateAndCancel() }
            var request = URLRequest(url: peer.url)
            request.httpMethod = method
            let (bytes, _) = try await session.bytes(for: request)
            var chunks = bytes.chunks.makeAsyncIterator()
            #expect(try await chunks.next() == Data("half".utf8))
            #expect(try await session.fetch(peer.url).0 == Data("ok".utf8))
            let error = await #expect(throws: URLError.self) { try await chunks.next() }
            #expect(error?.code == .networkConnectionLost)
        }
    }
}

/// Provides streams of a body, or none.
private final class NewStreams: NSObject, URLSessionTaskDelegate {
    private let bytes: Data?

    init(_ bytes: Data?) { self.bytes = bytes }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(bytes.map { InputStream(data: $0) })
    }
}
