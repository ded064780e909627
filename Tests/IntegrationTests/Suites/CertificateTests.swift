import Ferry
import Testing

extension NginxTests {
    @Suite("Certificates")
    struct CertificateTests {
        @Test(
            "Each fault of a certificate is reported as its own error",
            arguments: [
                (NginxListener.unknownAuthority, URLError.Code.serverCertificateHasUnknownRoot, "issuer"),
                (.expired, .serverCertificateHasBadDate, "expired"),
                (.selfSigned, .serverCertificateHasUnknownRoot, "self-signed"),
                (.wrongHost, .serverCertificateUntrusted, "localhost"),
            ]
        )
        func faults(listener: NginxListener, code: URLError.Code, words: String) async throws {
            let server = try NginxServer.shared()
            let session = CurlSession.trusting(server)
            let url = server.url(listener, "small")
            let error = await #expect(throws: URLError.self) { try await session.fetch(url) }
            #expect(error?.code == code)
            #expect(error?.failingURL == url)
            let cause = try #require(error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)
            #expect(cause.message.contains(words))
            #expect(error?.localizedDescription == cause.message)
        }
    }
}
