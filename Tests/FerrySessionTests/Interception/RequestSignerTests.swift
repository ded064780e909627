import FerryCore
import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Signatures of requests as they are sent.
@Suite(.timeLimit(.minutes(5)))
struct RequestSignerTests {
    /// An HMAC-SHA256 signer of HTTP Message Signatures (RFC 9421, section 3.3.3).
    private struct MessageSigner: RequestSigner {
        var keyID: String
        var key: Data
        var label: String
        var components: [String]
        var created: Int

        func signature(for request: SignableRequest, in attempt: RequestAttempt) async throws -> [String: String] {
            let list = components.map { "\"\($0)\"" }.joined(separator: " ")
            let parameters = "(\(list));created=\(created);keyid=\"\(keyID)\""
            var lines: [String] = []
            for component in components {
                let value =
                    switch component {
                    case "@authority": request.value(forHTTPHeaderField: "Host")?.lowercased()
                    case "@method": request.method
                    case "@path": request.url.path
                    case "content-digest": try await digest(request)
                    default: request.value(forHTTPHeaderField: component)
                    }
                lines.append("\"\(component)\": \(try #require(value))")
            }
            lines.append("\"@signature-params\": \(parameters)")
            let code = HMACSHA256.code(for: Data(lines.joined(separator: "\n").utf8), key: key).base64EncodedString()
            var fields = ["Signature-Input": "\(label)=\(parameters)", "Signature": "\(label)=:\(code):"]
            if components.contains("content-digest") { fields["Content-Digest"] = try await digest(request) }
            return fields
        }

        private func digest(_ request: SignableRequest) async throws -> String? {
            try await request.bodySHA256().map { "sha-256=:\($0.base64EncodedString()):" }
        }
    }

    private func session(_ interceptors: any RequestInterceptor...) -> CurlSession {
        var options = CurlSession.Options()
        options.interceptors = interceptors
        return Wire.session(options: options)
    }

    @Test("The example of RFC 9421, appendix B.2.5, has its signature") func vector() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let key = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
        let signer = MessageSigner(
            keyID: "test-shared-secret",
            key: try #require(Data(base64Encoded: key)),
            label: "sig-b25",
            components: ["date", "@authority", "content-type"],
            created: 1_618_884_473
        )
        let request = Wire.request(
            server.url("/foo?param=Value&Pet=dog"),
            "POST",
            headers: [
                "Host": "example.com", "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json",
            ],
            body: Data(#"{"hello": "world"}"#.utf8)
        )
        _ = try await session(signer).data(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent.header("Signature") == "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
        #expect(
            sent.header("Signature-Input")
                == #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#
        )
    }

    /// An interceptor that notes what a signer sees.
    private struct Note: RequestSigner {
        let seen = Watched<[(request: SignableRequest, digest: Data?)]>([])

        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            var request = request
            request.setValue("adapted", forHTTPHeaderField: "X-Adapted")
            return request
        }

        func signature(for request: SignableRequest, in attempt: RequestAttempt) async throws -> [String: String] {
            let digest = try await request.bodySHA256()
            seen.change { $0.append((request, digest)) }
            return [:]
        }
    }

    @Test("A signer sees the fields that are sent, and the digest of data and files") func fields() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let note = Note()
        var options = CurlSession.Options()
        options.interceptors = [note]
        let session = Wire.session(options: options) { configuration in
            configuration.httpAdditionalHeaders = ["X-Session": "yes"]
            let cookie = HTTPCookie(properties: [.name: "c", .value: "1", .domain: "127.0.0.1", .path: "/"])
            if let cookie { configuration.httpCookieStorage?.setCookie(cookie) }
        }
        let body = LoopbackServer.pattern(count: 600_000)
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let file = folder.appendingPathComponent("body")
        try body.write(to: file)
        let request = Wire.request(server.url("/p"), "PUT", headers: ["X-Empty": "", "X-Own": "a, b"])
        _ = try await session.upload(for: request, from: body)
        _ = try await session.upload(for: request, fromFile: file)
        _ = try await session.data(from: server.url)
        let hash = LoopbackServer.patternSHA256(count: 600_000)
        let digests = note.seen.current.map { $0.digest?.map { String(format: "%02x", $0) }.joined() }
        #expect(digests == [hash, hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"])
        for (signed, sent) in zip(note.seen.current.map(\.request), server.requests) {
            for field in signed.headerFields {
                #expect(sent.header(field.name) == field.value, "\(field.name)")
            }
            let names = Set(signed.headerFields.map { $0.name.lowercased() })
            let missing = sent.headers.map { $0.name.lowercased() }.filter { !names.contains($0) }
            #expect(Set(missing).isSubset(of: ["content-length", "accept"]), "\(missing)")
        }
        let first = try #require(note.seen.current.first?.request)
        #expect(first.value(forHTTPHeaderField: "cookie") == "c=1")
        #expect(first.value(forHTTPHeaderField: "X-SESSION") == "yes")
        #expect(first.value(forHTTPHeaderField: "x-adapted") == "adapted")
        #expect(first.value(forHTTPHeaderField: "host") == "127.0.0.1:\(server.port)")
        #expect(first.method == "PUT")
    }

    @Test(
        "A signer sees the Host field that is sent",
        arguments: [("a.invalid.", "a.invalid."), ("A.invalid", "a.invalid"), ("127.1", "127.0.0.1")]
    )
    func host(_ written: String, _ expected: String) async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let note = Note()
        var options = CurlSession.Options()
        options.interceptors = [note]
        options.network.addresses = ["a.invalid": ["127.0.0.1"]]
        let url = try #require(URL(string: "http://\(written):\(server.port)/"))
        _ = try await Wire.session(options: options).data(from: url)
        #expect(server.requests.map { $0.header("Host") } == ["\(expected):\(server.port)"])
        #expect(
            note.seen.current.map { $0.request.value(forHTTPHeaderField: "host") } == ["\(expected):\(server.port)"]
        )
    }

    @Test("A file that does not exist fails with its error, and a stream has no digest") func otherBodies() async throws
    {
        let server = try LoopbackServer { _ in .text("yes") }
        let note = Note()
        let session = session(note)
        let missing = URL(fileURLWithPath: "/nonexistent/file")
        let error = await Wire.error {
            try await session.upload(for: Wire.request(server.url, "PUT"), fromFile: missing)
        }
        #expect(error?.code == .fileDoesNotExist)
        var request = Wire.request(server.url, "PUT")
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        _ = try await session.data(for: request)
        #expect(note.seen.current.count == 1)
        #expect(note.seen.current.first?.digest == nil)
        #expect(server.requests.map(\.bodyLength) == [4])
    }
}
