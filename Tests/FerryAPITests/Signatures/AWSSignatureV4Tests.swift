import FerryAPI
import FerrySession
import Foundation
import Testing

/// The signatures of requests that AWS has published.
@Suite("AWS Signature Version 4")
struct AWSSignatureV4Tests {
    private static func credentials(_ id: String, _ secret: String, token: String? = nil) -> AWSCredentials {
        AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token)
    }

    /// Returns the fields that are added to an example.
    private func fields(
        of example: AWSSignatureExample,
        host: String,
        _ signer: AWSSignatureV4
    ) async throws -> [String: String] {
        let url = try #require(URL(string: "https://\(host)\(example.target)"))
        #expect(url.absoluteString.hasSuffix(example.target))
        let request = SignableRequest(
            method: example.method,
            url: url,
            headerFields: [("Host", host)] + example.fields,
            body: example.body
        )
        return try await signer.signature(for: request, in: RequestAttempt(originalURL: url))
    }

    // MARK: - Published signatures

    @Test("Requests have the signatures of AWS's test suite", arguments: AWSSignatureExample.suite)
    func testSuite(_ example: AWSSignatureExample) async throws {
        var signer = AWSSignatureV4(region: "us-east-1", service: "service") {
            Self.credentials(
                "AKIDEXAMPLE",
                "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                token: example.sessionToken
            )
        }
        signer.clock = { Date(timeIntervalSince1970: 1_440_938_160) }
        signer.encodesPathTwice = !example.name.hasSuffix("once")
        let added = try await fields(of: example, host: "example.amazonaws.com", signer)
        #expect(
            added["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(example.signed), Signature=\(example.signature)"
        )
        #expect(added["X-Amz-Date"] == "20150830T123600Z")
        #expect(added["X-Amz-Security-Token"] == example.sessionToken)
        #expect(added["X-Amz-Content-Sha256"] == nil)
    }

    @Test("Requests to S3 have the signatures of its documentation", arguments: AWSSignatureExample.s3)
    func documentation(_ example: AWSSignatureExample) async throws {
        var signer = AWSSignatureV4(region: "us-east-1", service: "s3") {
            Self.credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        }
        signer.clock = { Date(timeIntervalSince1970: 1_369_353_600) }
        let added = try await fields(of: example, host: "examplebucket.s3.amazonaws.com", signer)
        #expect(
            added["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=\(example.signed), Signature=\(example.signature)"
        )
        #expect(added["X-Amz-Content-Sha256"]?.count == 64)
    }

    // MARK: - The canonical request

    @Test(
        "A path is encoded again for most services, and written in one way for S3",
        arguments: [
            ("/a%20b", "/a%2520b", "/a%20b"), ("/a%2fb/%c3%bc", "/a%252fb/%25c3%25bc", "/a%2Fb/%C3%BC"),
            ("/a/../b//c", "/b/c", "/a/../b//c"), ("/..", "/", "/.."), ("/a+b(1)", "/a%2Bb%281%29", "/a%2Bb%281%29"),
            ("/a%", "/a%25", "/a%25"), ("/a/./", "/a/", "/a/./"),
        ]
    )
    func paths(_ path: String, _ twice: String, _ once: String) {
        for encodesPathTwice in [true, false] {
            let request = AWSCanonicalRequest(
                method: "GET",
                target: path + "?q",
                fields: [],
                payload: "",
                encodesPathTwice: encodesPathTwice
            )
            let lines = request.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.dropFirst().first.map(String.init) == (encodesPathTwice ? twice : once))
        }
    }

    @Test(
        "A query is sorted by its encoded names and values",
        arguments: [
            ("", ""), ("&&", ""), ("a", "a="), ("a=b=c", "a=b%3Dc"), ("b+c=d%2Be", "b%20c=d%2Be"), ("b=c+d", "b=c%20d"),
            ("a=/?%2f", "a=%2F%3F%2F"), ("B&a&A-&A", "A=&A-=&B=&a="), ("a=%c3%bc&a=%zz", "a=%25zz&a=%C3%BC"),
            ("=x", "=x"),
        ]
    )
    func queries(_ query: String, _ expected: String) {
        let request = AWSCanonicalRequest(
            method: "GET",
            target: "/?" + query,
            fields: [],
            payload: "",
            encodesPathTwice: false
        )
        let lines = request.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.dropFirst(2).first.map(String.init) == expected)
    }

    @Test("Descriptions have neither the secret key nor the session token") func descriptions() {
        let credentials = Self.credentials("AKID", SecretScan.password, token: SecretScan.user)
        let signer = AWSSignatureV4(region: "us-east-1", service: "s3") { credentials }
        for value in [credentials, signer] as [Any] {
            #expect(SecretScan.findings(in: value) == [])
            var text = ""
            dump(value, to: &text)
            #expect(!text.contains(SecretScan.password) && !text.contains(SecretScan.user))
        }
        #expect("\(signer)" == "AWS Signature Version 4 for s3 in us-east-1")
        #expect("\(credentials)" == "the access key AKID")
    }
}
