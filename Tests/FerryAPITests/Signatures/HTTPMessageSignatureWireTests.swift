import FerryAPI
import FerrySession
import FerryTesting
import Foundation
import Testing

/// Signatures, verified by a server.
@Suite("HTTP Message Signatures on the wire", .timeLimit(.minutes(5)))
struct HTTPMessageSignatureWireTests {
    private let clock = ManualClock()
    private let key = Data("a key that both sides share".utf8)

    private func signer(_ components: [HTTPMessageSignature.Component], label: String = "sig1") -> HTTPMessageSignature
    {
        var signer = HTTPMessageSignature(components, keyID: "key-1", hmacSHA256: key)
        signer.clock = { [clock] in clock.now }
        signer.label = label
        return signer
    }

    private func session(_ interceptors: any RequestInterceptor...) -> CurlSession { .signing(with: interceptors) }

    /// Expects that a received request has the signature of a base with the given lines.
    private func expect(
        _ sent: LoopbackRequest?,
        _ lines: [String],
        label: String = "sig1",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let sent = try #require(sent, sourceLocation: sourceLocation)
        let inputs = try #require(sent.header("Signature-Input")).split(separator: ", ").map(String.init)
        let input = try #require(inputs.first { $0.hasPrefix(label + "=") }, sourceLocation: sourceLocation)
        let parameters = input.dropFirst(label.count + 1)
        let base = (lines + ["\"@signature-params\": \(parameters)"]).joined(separator: "\n")
        let code = HMACSHA256.code(for: Data(base.utf8), key: key).base64EncodedString()
        let signatures = sent.header("Signature")?.split(separator: ", ").map(String.init) ?? []
        #expect(signatures.contains("\(label)=:\(code):"), "\(base)", sourceLocation: sourceLocation)
        #expect(signatures.count == inputs.count, sourceLocation: sourceLocation)
    }

    /// An interceptor that adds a field.
    private struct Adder: RequestInterceptor {
        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            var request = request
            request.setValue("yes", forHTTPHeaderField: "X-Added")
            return request
        }
    }

    @Test("The signature covers what is received, the digest of the body and the fields of later interceptors")
    func received() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let signer = signer([.method, .targetURI, .contentDigest, "content-type", "x-added", "user-agent"])
        let type = ["Content-Type": "application/json"]
        let url = server.url("/a%2fb?c=%20d&e")
        _ = try await session(signer, Adder()).upload(for: URLRequest(url, "POST", type), from: Data(#"{"a":1}"#.utf8))
        let sent = try #require(server.requests.first)
        // Computed with OpenSSL.
        let digest = "sha-256=:AVq9f1zFei3ZS3WQ8ErYCEJzkF7jPsXOvq5iJ2qX+GI=:"
        #expect(sent.header("Content-Digest") == digest)
        #expect(
            sent.header("Signature-Input")
                == #"sig1=("@method" "@target-uri" "content-digest" "content-type" "x-added" "user-agent")"#
                + #";created=1700000000;keyid="key-1""#
        )
        try expect(
            sent,
            [
                "\"@method\": POST", "\"@target-uri\": http://127.0.0.1:\(server.port)\(sent.target)",
                "\"content-digest\": \(digest)", "\"content-type\": application/json", "\"x-added\": yes",
                "\"user-agent\": \(sent.header("User-Agent") ?? "")",
            ]
        )
        #expect(sent.target == "/a%2fb?c=%20d&e")
    }

    @Test("Files and empty bodies have digests, a digest that is given is kept, and a stream is an error")
    func digests() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let session = session(signer([.contentDigest]))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("abc".utf8).write(to: file)
        _ = try await session.upload(for: URLRequest(server.url, "PUT"), fromFile: file)
        _ = try await session.data(from: server.url)
        let given = "sha-512=:YWJj:"
        let digested = URLRequest(server.url, "PUT", ["content-digest": given])
        _ = try await session.upload(for: digested, from: Data("a".utf8))
        var streamed = URLRequest(server.url, "PUT")
        streamed.httpBodyStream = InputStream(data: Data("once".utf8))
        let unsigned = streamed
        await #expect(throws: RequestSerializationError.self) { try await session.data(for: unsigned) }
        streamed.setValue(given, forHTTPHeaderField: "Content-Digest")
        streamed.httpBodyStream = InputStream(data: Data("once".utf8))
        _ = try await session.data(for: streamed)
        let digests = server.requests.map { $0.headers.values(for: "Content-Digest") }
        #expect(
            digests == [
                ["sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"],
                ["sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"], [given], [given],
            ]
        )
        for (sent, digest) in zip(server.requests, digests) { try expect(sent, ["\"content-digest\": \(digest[0])"]) }
    }

    @Test("Several signers follow each other, and a later one can cover the signature of an earlier one")
    func several() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let second = signer([.path, "signature"], label: "proxy")
        _ = try await session(signer([.method]), second).data(from: server.url("/a"))
        let sent = try #require(server.requests.first)
        try expect(sent, ["\"@method\": GET"])
        let first = try #require(sent.header("Signature")?.split(separator: ", ").first)
        try expect(sent, ["\"@path\": /a", "\"signature\": \(first)"], label: "proxy")
        #expect(sent.header("Content-Digest") == nil)
    }

    @Test("Retries and redirects within the origin are signed once each, with their own time") func attempts()
        async throws
    {
        let server = try LoopbackServer { [clock] request in
            clock.advance(by: 60)
            if request.path == "/end" { return .text("yes") }
            return clock.now.timeIntervalSince1970 < 1_700_000_100 ? .status(503) : .redirect(to: "/end")
        }
        _ = try await session(signer([.path])).data(from: server.url("/start"))
        let sent = server.requests
        #expect(sent.map(\.path) == ["/start", "/start", "/end"])
        for (index, request) in sent.enumerated() {
            #expect(
                request.header("Signature-Input")
                    == "sig1=(\"@path\");created=\(1_700_000_000 + 60 * index);keyid=\"key-1\""
            )
            try expect(request, ["\"@path\": \(request.path)"])
        }
    }

    @Test("Another origin receives a signature only if it is one of those that are given") func origins() async throws {
        let other = try LoopbackServer { _ in .text("yes") }
        let server = try LoopbackServer { _ in .redirect(to: other.url("/end").absoluteString) }
        _ = try await session(signer([.path])).data(from: server.url("/start"))
        #expect(server.requests.first?.header("Signature") != nil)
        #expect(try #require(other.requests.first).header("Signature") == nil)
        let chosen = HTTPMessageSignature([.path], keyID: "key-1", hmacSHA256: key, origins: [other.url])
        _ = try await session(chosen).data(from: other.url("/own"))
        _ = try await session(chosen).data(from: server.url("/start"))
        try expect(other.requests.dropFirst().first, ["\"@path\": /own"])
        #expect(server.requests.last?.header("Signature") == nil)
    }

    private struct Refusal: Error {}

    @Test("An error of the closure that signs is that of the task, and nothing is sent") func refused() async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let signer = HTTPMessageSignature([.path], keyID: nil) { _ in throw Refusal() }
        await #expect(throws: Refusal.self) { try await session(signer).data(from: server.url) }
        #expect(server.requests.isEmpty)
    }
}
