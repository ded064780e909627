import FerryAPI
import FerrySession
import Foundation
import Testing

/// The signature bases of RFC 9421, and requests that cannot be signed.
@Suite("HTTP Message Signatures")
struct HTTPMessageSignatureTests {
    /// The key of the example in appendix B.1.5.
    private static let key = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
    private static let contentDigest =
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"

    /// The request of appendix B.2.
    private static func post(_ text: String = "https://example.com/foo?param=Value&Pet=dog") throws -> SignableRequest {
        let fields = [
            ("Host", "example.com"), ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"), ("Content-Type", "application/json"),
            ("Content-Digest", contentDigest), ("Content-Length", "18"),
        ]
        return SignableRequest(
            method: "POST",
            url: try #require(URL(string: text)),
            headerFields: fields,
            body: Data(#"{"hello": "world"}"#.utf8)
        )
    }

    private static func get(_ text: String, host: String, fields: [(String, String)] = []) throws -> SignableRequest {
        SignableRequest(
            method: "GET",
            url: try #require(URL(string: text)),
            headerFields: [("Host", host)] + fields
        )
    }

    private static func signer(
        _ components: [HTTPMessageSignature.Component],
        keyID: String? = "k"
    ) -> HTTPMessageSignature {
        var signer = HTTPMessageSignature(components, keyID: keyID) { _ in Data("signed".utf8) }
        signer.clock = { Date(timeIntervalSince1970: 1_618_884_473.9) }
        return signer
    }

    /// Returns the fields that are added to a request.
    private func fields(_ signer: HTTPMessageSignature, _ request: SignableRequest) async throws -> [String: String] {
        try await signer.signature(for: request, in: RequestAttempt(originalURL: request.url))
    }

    // MARK: - Appendix B

    @Test("B.2.1: A signature that covers nothing") func minimal() throws {
        var signer = Self.signer([], keyID: "test-key-rsa-pss")
        signer.nonce = { "b3k2pp5k7z-50gnwp.yemd" }
        #expect(
            try signer.signatureBase(of: Self.post()).text
                == #""@signature-params": ();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd""#
        )
    }

    @Test("B.2.2: Selected components") func selected() throws {
        var signer = Self.signer(
            ["@authority", "content-digest", .queryParameter("Pet")],
            keyID: "test-key-rsa-pss"
        )
        signer.tag = "header-example"
        let base = #"""
            "@authority": example.com
            "content-digest": \#(Self.contentDigest)
            "@query-param";name="Pet": dog
            "@signature-params": ("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"
            """#
        #expect(try signer.signatureBase(of: Self.post()).text == base)
    }

    @Test("B.2.3: All components") func full() throws {
        let signer = Self.signer(
            ["Date", .method, .path, .query, .authority, "Content-Type", .contentDigest, "content-length"],
            keyID: "test-key-rsa-pss"
        )
        let base = #"""
            "date": Tue, 20 Apr 2021 02:07:55 GMT
            "@method": POST
            "@path": /foo
            "@query": ?param=Value&Pet=dog
            "@authority": example.com
            "content-type": application/json
            "content-digest": \#(Self.contentDigest)
            "content-length": 18
            "@signature-params": ("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"
            """#
        #expect(try signer.signatureBase(of: Self.post()).text == base)
    }

    @Test("B.2.5: The algorithm hmac-sha256") func hmac() async throws {
        let key = try #require(Data(base64Encoded: Self.key))
        var signer = HTTPMessageSignature(
            ["date", "@authority", "content-type"],
            keyID: "test-shared-secret",
            hmacSHA256: key
        )
        signer.clock = { Date(timeIntervalSince1970: 1_618_884_473) }
        signer.label = "sig-b25"
        let parameters = #"("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#
        let expected = [
            "Signature-Input": "sig-b25=\(parameters)",
            "Signature": "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:",
        ]
        #expect(try await fields(signer, Self.post()) == expected)
    }

    @Test("B.2.6 and B.4: A closure receives the base and returns the signature") func closure() async throws {
        // These bases and signatures have been verified with OpenSSL and the key of appendix B.1.4.
        let examples = [
            (
                "sig-b26", try Self.post(),
                ["date", "@method", "@path", "@authority", "content-type", "content-length"],
                #"""
                "date": Tue, 20 Apr 2021 02:07:55 GMT
                "@method": POST
                "@path": /foo
                "@authority": example.com
                "content-type": application/json
                "content-length": 18
                "@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"
                """#,
                "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
            ),
            (
                "transform",
                try Self.get(
                    "https://example.org/demo?name1=Value1&Name2=value2",
                    host: "example.org",
                    fields: [("Accept", "application/json"), ("Accept", "*/*")]
                ),
                ["@method", "@path", "@authority", "accept"],
                #"""
                "@method": GET
                "@path": /demo
                "@authority": example.org
                "accept": application/json, */*
                "@signature-params": ("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519"
                """#,
                "ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA=="
            ),
        ]
        for (label, request, components, base, signature) in examples {
            var signer = HTTPMessageSignature(
                components.map { HTTPMessageSignature.Component($0) },
                keyID: "test-key-ed25519"
            ) { given in
                #expect(String(decoding: given, as: UTF8.self) == base)
                return Data(base64Encoded: signature) ?? Data()
            }
            signer.clock = { Date(timeIntervalSince1970: 1_618_884_473) }
            signer.label = label
            #expect(try await fields(signer, request)["Signature"] == "\(label)=:\(signature):")
        }
    }

    // MARK: - Parameters

    @Test("Parameters follow each other in one order, and strings are escaped (RFC 9651, section 4.1.6)")
    func parameters() throws {
        var signer = Self.signer(["@method"], keyID: #"a"\b"#)
        signer.lifetime = 300
        signer.algorithm = "hmac-sha256"
        signer.nonce = { "" }
        signer.tag = "t t"
        #expect(
            try signer.signatureBase(of: Self.post()).parameters
                == #"("@method");created=1618884473;expires=1618884773;keyid="a\"\\b";alg="hmac-sha256";nonce="";tag="t t""#
        )
        #expect(try Self.signer([], keyID: nil).signatureBase(of: Self.post()).parameters == "();created=1618884473")
    }

    @Test("Parameters that a structured field cannot have are errors") func invalid() async throws {
        let changes: [(inout HTTPMessageSignature) -> Void] = [
            { $0.tag = "ü" }, { $0.nonce = { "a\n" } }, { $0.algorithm = "\u{7f}" }, { $0.lifetime = 1e16 },
            { $0.lifetime = .nan }, { $0.clock = { Date(timeIntervalSince1970: 1e15) } }, { $0.label = "" },
            { $0.label = "Sig" }, { $0.label = "1" }, { $0.label = "a b" }, { $0.components = ["date", "Date"] },
        ]
        for change in changes {
            var signer = Self.signer(["date"])
            change(&signer)
            await #expect(throws: RequestSerializationError.self) { try await fields(signer, Self.post()) }
        }
        for label in ["*a", "sig-1_.*", "a"] {
            var signer = Self.signer(["date"])
            signer.label = label
            #expect(try await fields(signer, Self.post())["Signature"] == "\(label)=:c2lnbmVk:")
        }
    }

    @Test("A value that is not ASCII cannot be signed (section 2.5), and is sent where it is not covered")
    func notASCII() async throws {
        let request = try Self.get("https://a.example/", host: "a.example", fields: [("X-Name", "Zoë"), ("X-A", "a")])
        let error = await #expect(throws: RequestSerializationError.self) {
            try await fields(Self.signer(["x-a", "x-name"]), request)
        }
        #expect(error?.code == .invalidHeader)
        #expect(try await fields(Self.signer(["x-a"]), request)["Signature"] != nil)
    }

    @Test("Descriptions do not contain the key") func descriptions() {
        let key = Data(SecretScan.password.utf8)
        let signer = HTTPMessageSignature([.method], keyID: "key-1", hmacSHA256: key)
        #expect(SecretScan.findings(in: signer) == [])
        var text = ""
        dump(signer, to: &text)
        #expect(!text.contains(SecretScan.password))
        #expect("\(signer)" == "the HTTP message signature sig1 with the key key-1")
    }
}
