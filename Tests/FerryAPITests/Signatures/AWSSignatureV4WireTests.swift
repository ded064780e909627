import FerryAPI
import FerrySession
import FerryTesting
import Foundation
import Testing

/// Signatures, verified by a server.
@Suite("AWS Signature Version 4 on the wire", .timeLimit(.minutes(5)))
struct AWSSignatureV4WireTests {
    private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    private let clock = ManualClock()

    private func signer(_ service: String = "execute-api", token: String? = nil) -> AWSSignatureV4 {
        var signer = AWSSignatureV4(region: "eu-central-1", service: service) {
            AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: Self.secret, sessionToken: token)
        }
        signer.clock = { [clock] in clock.now }
        return signer
    }

    private func session(_ interceptors: any RequestInterceptor...) -> CurlSession { .signing(with: interceptors) }

    /// Returns the `Authorization` field of a received request, computed as by a server that knows the path and the
    /// query of the canonical request.
    private func authorization(of sent: LoopbackRequest, path: String, query: String = "") throws -> String {
        let given = try #require(sent.header("Authorization"))
        let signed = try #require(given.firstMatch(of: /Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+),/))
        let time = try #require(sent.header("X-Amz-Date"))
        let scope = String(signed.1)
        var text = "\(sent.method)\n\(path)\n\(query)\n"
        for name in signed.2.split(separator: ";") { text += try "\(name):\(#require(sent.header(String(name))))\n" }
        text += "\n\(signed.2)\n" + (sent.header("X-Amz-Content-Sha256") ?? sent.bodySHA256)
        var key = Data("AWS4\(Self.secret)".utf8)
        for part in scope.split(separator: "/") { key = HMACSHA256.code(for: Data(part.utf8), key: key) }
        let lines = ["AWS4-HMAC-SHA256", time, scope, SHA256Hash.hash(Data(text.utf8)).hexadecimal]
        let code = HMACSHA256.code(for: Data(lines.joined(separator: "\n").utf8), key: key).hexadecimal
        return "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\(scope), SignedHeaders=\(signed.2), Signature=\(code)"
    }

    /// An interceptor that adds a field.
    private struct Adder: RequestInterceptor {
        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            var request = request
            request.setValue("yes", forHTTPHeaderField: "X-Added")
            return request
        }
    }

    @Test("The signature is that of the request that a server receives, with the fields of later interceptors")
    func received() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let session = session(signer(token: "a token"), Adder())
        let url = server.url("/items/a%20b?y=%2F&x=1")
        let body = Data(#"{"a":1}"#.utf8)
        _ = try await session.upload(for: URLRequest(url, "POST", ["Content-Type": "application/json"]), from: body)
        let sent = try #require(server.requests.first)
        let expected = try authorization(of: sent, path: "/items/a%2520b", query: "x=1&y=%2F")
        #expect(sent.header("Authorization") == expected)
        let signed = try #require(expected.firstMatch(of: /SignedHeaders=(\S+),/)).1.split(separator: ";")
        let wanted: Set<Substring> = ["content-type", "host", "x-added", "x-amz-date", "x-amz-security-token"]
        #expect(wanted.isSubset(of: signed))
        #expect(!signed.contains("user-agent"))
        #expect(sent.header("X-Amz-Security-Token") == "a token")
        #expect(sent.header("X-Amz-Content-Sha256") == nil)
        #expect(sent.body == body)
    }

    @Test("The signature is one that OpenSSL computes") func literal() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let fields = ["Host": "api.example.com", "Content-Type": "text/plain", "Accept-Language": "en"]
        _ = try await session(signer()).upload(
            for: URLRequest(server.url("/a%20b?c"), "PUT", fields),
            from: Data("d".utf8)
        )
        let sent = try #require(server.requests.first)
        #expect(
            sent.header("Authorization")
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/eu-central-1/execute-api/aws4_request, "
                + "SignedHeaders=accept-language;content-type;host;x-amz-date, "
                + "Signature=488f18d239f761d2f3fa9cb0fd5923da33e2cfc552e6b39aca4e5856214daf0d"
        )
    }

    @Test("The digests of data, files and empty bodies are sent to S3, and a stream is not signed")
    func payloads() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let session = session(signer("s3"))
        let body = LoopbackServer.pattern(count: 300_000)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try body.write(to: file)
        let put = URLRequest(server.url("/a%20b//c"), "PUT")
        _ = try await session.upload(for: put, from: body)
        _ = try await session.upload(for: put, fromFile: file)
        _ = try await session.data(for: URLRequest(server.url("/a%20b//c"), "GET"))
        var streamed = put
        streamed.httpBodyStream = InputStream(data: Data("once".utf8))
        _ = try await session.data(for: streamed)
        var given = put
        given.setValue("UNSIGNED-PAYLOAD", forHTTPHeaderField: "x-amz-content-sha256")
        _ = try await session.upload(for: given, from: body)
        let digest = LoopbackServer.patternSHA256(count: 300_000)
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let sent = server.requests
        #expect(
            sent.map { $0.header("X-Amz-Content-Sha256") }
                == [digest, digest, empty, "UNSIGNED-PAYLOAD", "UNSIGNED-PAYLOAD"]
        )
        for request in sent {
            #expect(try request.header("Authorization") == authorization(of: request, path: "/a%20b//c"))
        }
    }

    @Test("A stream is marked as not signed for other services too") func stream() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        var streamed = URLRequest(server.url("/"), "POST")
        streamed.httpBodyStream = InputStream(data: Data("once".utf8))
        _ = try await session(signer()).data(for: streamed)
        let sent = try #require(server.requests.first)
        #expect(sent.header("X-Amz-Content-Sha256") == "UNSIGNED-PAYLOAD")
        #expect(try sent.header("Authorization") == authorization(of: sent, path: "/"))
        #expect(sent.bodyLength == 4)
    }

    @Test("Retries and redirects within the origin are signed with their own time") func attempts() async throws {
        let server = try LoopbackServer { [clock] request in
            clock.advance(by: 60)
            switch request.connectionRequestIndex {
            case _ where request.path == "/end": return .text("yes")
            default: return clock.now.timeIntervalSince1970 < 1_700_000_100 ? .status(503) : .redirect(to: "/end")
            }
        }
        _ = try await session(signer()).data(for: URLRequest(server.url("/start"), "GET"))
        let sent = server.requests
        #expect(sent.map(\.path) == ["/start", "/start", "/end"])
        let times = ["20231114T221320Z", "20231114T221420Z", "20231114T221520Z"]
        #expect(sent.map { $0.headers.values(for: "X-Amz-Date") } == times.map { [$0] })
        for request in sent {
            #expect(try request.header("Authorization") == authorization(of: request, path: request.path))
        }
    }

    @Test("Another origin receives neither a signature nor the session token") func otherOrigin() async throws {
        let other = try LoopbackServer { _ in .text("yes") }
        let server = try LoopbackServer { _ in .redirect(to: other.url("/end").absoluteString) }
        _ = try await session(signer(token: "token")).data(for: URLRequest(server.url("/start"), "GET"))
        #expect(server.requests.first?.header("X-Amz-Security-Token") == "token")
        let names = try #require(other.requests.first).headers.fields.map { $0.name.lowercased() }
        #expect(!names.contains("authorization") && !names.contains { $0.hasPrefix("x-amz-") })
    }

    private struct Refusal: Error, Equatable {}

    @Test("An error of the closure for credentials is that of the task, and nothing is sent") func refused()
        async throws
    {
        let server = try LoopbackServer { _ in .text("yes") }
        let signer = AWSSignatureV4(region: "r", service: "s") { throw Refusal() }
        await #expect(throws: Refusal.self) { try await session(signer).data(from: server.url) }
        #expect(server.requests.isEmpty)
    }
}
