import Testing

@testable import FerrySession

@Suite("Certificates")
struct CertificateParsingTests {
    @Test("The pin of a certificate equals that of openssl, from PEM and DER")
    func pin() throws {
        #expect(try PublicKeyPin(certificate: Data(Certificates.pem.utf8)) == Certificates.pin)
        #expect(try PublicKeyPin(certificate: Certificates.der) == Certificates.pin)
        #expect(Certificates.pin.isValid)
    }

    @Test("Truncated and changed certificates never trap")
    func damaged() {
        let der = Certificates.der
        for count in 0..<der.count {
            #expect(X509Certificate(der: der.prefix(count)) == nil)
        }
        for index in der.indices {
            for value in [0, 0x30, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                var changed = der
                changed[index] = value
                _ = X509Certificate(der: changed)
            }
        }
        #expect(throws: CurlSessionError.self) { try PublicKeyPin(certificate: Data("nothing".utf8)) }
        #expect(throws: CurlSessionError.self) { try PublicKeyPin(certificate: Data()) }
    }

    @Test("The blocks of PEM text are found, with any text between them and any line ends")
    func blocks() throws {
        let text =
            "Comment: here\r\n\(Certificates.pem.replacingOccurrences(of: "\n", with: "\r\n"))\r\nmore\n"
            + "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n"
            + "-----END EC PRIVATE KEY-----\n-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n"
            + "-----END ENCRYPTED PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
        let blocks = try PEM.blocks(in: Data(text.utf8), what: "It")
        #expect(blocks.map(\.label) == ["CERTIFICATE", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PRIVATE KEY"])
        #expect(blocks.map(\.isEncrypted) == [false, true, true, false])
        #expect(blocks.first?.content == Certificates.der)
    }

    @Test(
        "Damaged PEM text is an error that names its purpose",
        arguments: [
            "-----BEGIN CERTIFICATE-----\nAAAA\n", "-----BEGIN CERTIFICATE-----\n????\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
        ]
    )
    func damagedText(text: String) {
        let error = #expect(throws: CurlSessionError.self) { try PEM.blocks(in: Data(text.utf8), what: "The thing") }
        #expect(error?.message.contains("The thing") == true)
    }

    @Test("A certificate written as PEM can be read again")
    func written() throws {
        let blocks = try PEM.blocks(in: Data(PEM.text(certificate: Certificates.der).utf8), what: "It")
        #expect(blocks.map(\.content) == [Certificates.der])
    }
}
