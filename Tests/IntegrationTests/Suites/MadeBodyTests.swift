import Ferry
import TestSupport
import Testing

extension NginxTests {
    /// Bodies that are made while they are sent, over HTTP/2.
    @Suite("Request bodies over HTTP/2", .timeLimit(.minutes(1)))
    struct MadeBodyTests {
        let server: NginxServer
        let session: CurlSession

        init() throws {
            server = try .shared()
            session = .trusting(server)
        }

        private func request(_ method: String, _ url: URL) -> URLRequest {
            var request = URLRequest(url: url)
            request.httpMethod = method
            return request
        }

        @Test("A sequence arrives completely, with and without a length", arguments: [true, false])
        func sequence(hasLength: Bool) async throws {
            let data = try Contents.of(server.files.text)
            let name = "made-\(hasLength).txt"
            defer { try? FileManager.default.removeItem(at: server.uploaded(name)) }
            let body = RequestBody(length: hasLength ? Int64(data.count) : nil) {
                // Sizes from one byte to more than a frame.
                AsyncStream { continuation in
                    var (rest, size) = (data[...], 1)
                    while !rest.isEmpty {
                        continuation.yield(Data(rest.prefix(size)))
                        rest = rest.dropFirst(size)
                        size = size % 40_000 * 3 + 1
                    }
                    continuation.finish()
                }
            }
            let put = request("PUT", server.url(.http2, "uploads/\(name)"))
            let response = try #require(try await session.upload(for: put, body: body).1 as? HTTPURLResponse)
            #expect(response.statusCode == 201)
            #expect(response["X-Protocol"] == "HTTP/2.0")
            #expect(Contents.match(try Contents.of(server.uploaded(name)), data))
        }

        @Test("A writer and the reader of the response take turns", .enabled(if: PythonServer.isWanted))
        func bothDirections() async throws {
            let certificates = server.certificates
            let peer = try RawHTTP2Peer(
                nil,
                certificate: certificates.certificate(.good),
                key: certificates.key(.good)
            )
            let (body, writer) = RequestBody.writer()
            let (bytes, response) = try await session.bytes(for: request("POST", peer.url), body: body)
            #expect((response as? HTTPURLResponse)?.receivedVersion == "HTTP/2")
            var answers = bytes.lines.makeAsyncIterator()
            for number in 0..<100 {
                let line = "\(number)" + String(repeating: "-", count: number * 300)
                try await writer.write(Data("\(line)\n".utf8))
                #expect(try await answers.next() == line)
            }
            writer.finish()
            #expect(try await answers.next() == nil)
        }

        @Test("A refusal stops a writer, and its response is read")
        func earlyResponse() async throws {
            let (body, writer) = RequestBody.writer()
            let post = request("POST", server.url(.http2, "files/text.txt"))
            let (bytes, response) = try await session.bytes(for: post, body: body)
            #expect((response as? HTTPURLResponse)?.statusCode == 405)
            var text = ""
            for try await line in bytes.lines { text += line }
            #expect(text.contains("405 Not Allowed"))
            let error = await #expect(throws: CurlSessionError.self) {
                while true { try await writer.write(Data(count: 10_000)) }
            }
            #expect(error?.code == .requestHasEnded)
        }
    }
}
