import Ferry
import Testing

extension NginxTests {
    @Suite("Requests")
    struct RequestTests {
        let server: NginxServer
        let session: CurlSession

        init() throws {
            server = try .shared()
            session = .trusting(server)
        }

        @Test(
            "A GET arrives over each protocol",
            arguments: [
                (NginxListener.plain, "HTTP/1.1"), (.tls, "HTTP/1.1"), (.http2, "HTTP/2.0"),
            ]
        )
        func get(listener: NginxListener, version: String) async throws {
            let (data, response) = try await session.fetch(server.url(listener, "small"))
            #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            #expect(response.statusCode == 200)
            #expect(response["X-Protocol"] == version)
        }

        @Test("A numeric host is verified against the certificate's addresses")
        func numericHost() async throws {
            let (_, response) = try await session.fetch(server.url(.http2, "small", host: "127.0.0.1"))
            #expect(response.statusCode == 200)
        }

        @Test("A gzipped body is decoded exactly", arguments: [NginxListener.plain, .http2])
        func gzip(listener: NginxListener) async throws {
            let (data, response) = try await session.fetch(server.url(listener, "gzip/text.txt"))
            #expect(response["Content-Encoding"] == "gzip")
            #expect(try Contents.match(data, server.files.text))
        }

        @Test("A range yields exactly its bytes, and a failed If-Range the whole entity")
        func range() async throws {
            let url = server.url(.http2, "files/text.txt")
            let whole = try Contents.of(server.files.text)
            var request = URLRequest(url: url)
            request.setValue("bytes=1000-1999", forHTTPHeaderField: "Range")
            let (part, first) = try await session.fetch(request)
            #expect(first.statusCode == 206)
            #expect(first["Content-Range"] == "bytes 1000-1999/\(whole.count)")
            #expect(part == whole[1000..<2000])

            request.setValue(first["ETag"], forHTTPHeaderField: "If-Range")
            #expect(try await session.fetch(request).0 == part)

            request.setValue(#""another""#, forHTTPHeaderField: "If-Range")
            let (all, second) = try await session.fetch(request)
            #expect(second.statusCode == 200)
            #expect(Contents.match(all, whole))
        }

        @Test("A HEAD response has the length of the body and no body")
        func head() async throws {
            var request = URLRequest(url: server.url(.http2, "files/huge.bin"))
            request.httpMethod = "HEAD"
            let (data, response) = try await session.fetch(request)
            #expect(data.isEmpty)
            #expect(response.expectedContentLength == Int64(NginxFiles.hugeSize))
        }

        @Test("A proxy receives the whole URL")
        func proxy() async throws {
            let session = CurlSession.trusting(server) {
                $0.proxy = .http("localhost", port: server.url(.plain, "").port ?? 0)
            }
            let url = try #require(URL(string: "http://ferry.invalid/small"))
            let (data, response) = try await session.fetch(url)
            #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            #expect(response["X-Request-Line"] == "GET http://ferry.invalid/small HTTP/1.1")
        }
    }
}
