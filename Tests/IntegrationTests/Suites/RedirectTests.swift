import Ferry
import Testing

extension NginxTests {
    @Suite("Redirects")
    struct RedirectTests {
        let server: NginxServer

        init() throws {
            server = try .shared()
        }

        @Test("Two hundred concurrent redirects from http over https to HTTP/2 arrive")
        func acrossProtocols() async throws {
            let session = CurlSession.trusting(server)
            let start = server.url(.plain, "hop/plain")
            let end = server.url(.http2, "hop/http2")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let (data, response) = try await session.fetch(start)
                        #expect(String(decoding: data, as: UTF8.self) == "arrived\n")
                        #expect(response["X-Protocol"] == "HTTP/2.0")
                        #expect(response.url == end)
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("A redirect from https to http is followed only if allowed")
        func downgrade() async throws {
            let url = server.url(.tls, "hop/down")
            let (_, refused) = try await CurlSession.trusting(server).fetch(url)
            #expect(refused.statusCode == 302)
            #expect(refused.url == url)

            let session = CurlSession.trusting(server) { $0.allowsInsecureRedirects = true }
            let (data, followed) = try await session.fetch(url)
            #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            #expect(followed.url == server.url(.plain, "small"))
        }
    }
}
