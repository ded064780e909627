import Ferry
import FerryTesting
import TestSupport
import Testing

extension NginxTests {
    @Suite("Large bodies", .serialized, .takesTurns, .slow, .ownThreads)
    struct BodyTests {
        let server: NginxServer
        let session: CurlSession

        init() throws {
            server = try .shared()
            session = .trusting(server)
        }

        @Test("A hundred megabytes are downloaded exactly", arguments: [NginxListener.plain, .tls, .http2])
        func download(listener: NginxListener) async throws {
            let (file, _) = try await session.download(from: server.url(listener, "files/large.bin"))
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try Contents.match(Contents.of(file), server.files.large))
            if listener == .http2 {
                #expect(try Contents.sha256(of: file) == server.files.largeSHA256)
            }
        }

        @Test("A hundred megabytes from a file arrive completely", arguments: [NginxListener.plain, .tls, .http2])
        func uploadFromFile(listener: NginxListener) async throws {
            let name = "file-\(listener).bin"
            let (_, response) = try await session.upload(for: put(listener, name), fromFile: server.files.large)
            try expectArrived(name, response)
        }

        @Test("A hundred megabytes from a stream arrive completely", arguments: [NginxListener.plain, .tls, .http2])
        func uploadFromStream(listener: NginxListener) async throws {
            let name = "stream-\(listener).bin"
            var request = put(listener, name)
            request.httpBodyStream = InputStream(url: server.files.large)
            let (_, response) = try await session.fetch(request)
            try expectArrived(name, response)
        }

        @Test("An upload that waits for 100 (Continue) arrives completely")
        func expectContinue() async throws {
            var request = put(.tls, "continue.bin")
            request.setValue("100-continue", forHTTPHeaderField: "Expect")
            let body = LoopbackServer.pattern(count: 3_000_000)
            let (_, response) = try await session.upload(for: request, from: body)
            #expect((response as? HTTPURLResponse)?.statusCode == 201)
            #expect(Contents.match(try Contents.of(server.uploaded("continue.bin")), body))
        }

        private func put(_ listener: NginxListener, _ name: String) -> URLRequest {
            var request = URLRequest(url: server.url(listener, "uploads/\(name)"))
            request.httpMethod = "PUT"
            return request
        }

        private func expectArrived(_ name: String, _ response: URLResponse) throws {
            let file = server.uploaded(name)
            defer { try? FileManager.default.removeItem(at: file) }
            #expect((response as? HTTPURLResponse)?.statusCode == 201)
            #expect(try Contents.match(Contents.of(file), server.files.large))
        }
    }
}
