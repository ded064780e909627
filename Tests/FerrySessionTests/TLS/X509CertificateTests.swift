import Testing

@testable import FerrySession

@Suite("X.509 certificates")
struct X509CertificateTests {
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }

    /// Returns an unsigned certificate made of the given parts.
    private static func certificate(
        version: [UInt8] = [0xA0, 3, 2, 1, 2],
        validity: [UInt8] = time(0x17, "250101000000Z") + time(0x17, "260101000000Z"),
        extensions: [[UInt8]] = [],
        tail: [UInt8] = []
    ) -> Data {
        let empty = element(0x30, [])
        let wrapped = extensions.isEmpty ? [] : element(0xA3, element(0x30, extensions.flatMap { $0 }))
        let fields = version + [2, 1, 1] + empty + empty + element(0x30, validity) + empty + empty + wrapped
        return Data(element(0x30, element(0x30, fields) + empty + [3, 1, 0]) + tail)
    }

    private static func time(_ tag: UInt8, _ text: String) -> [UInt8] { element(tag, Array(text.utf8)) }

    private static func names(_ names: [[UInt8]]) -> [UInt8] {
        element(0x30, element(6, [0x55, 0x1D, 0x11]) + element(4, element(0x30, names.flatMap { $0 })))
    }

    @Test("A real certificate has the names, dates and key that openssl shows")
    func real() throws {
        let certificate = try #require(X509Certificate(der: Certificates.der))
        #expect(certificate.names == [.dns("localhost")])
        #expect(certificate.issuer == certificate.subject)
        let validity = try #require(certificate.validity)
        // 2026-11-21 01:59:12 and two days later.
        #expect(validity.notBefore.timeIntervalSince1970 == 1_795_226_352)
        #expect(validity.notAfter.timeIntervalSince1970 == 1_795_226_352 + 172_800)
        #expect(PublicKeyPin(publicKeyInfo: certificate.publicKeyInfo) == Certificates.pin)
    }

    @Test("Names are read in order, and those with bytes that no host has are skipped")
    func alternativeNames() throws {
        let names = Self.names([
            Self.element(0x82, Array("API.example.com".utf8)), Self.element(0x82, Array("evil.com\0.example.com".utf8)),
            Self.element(0x87, [192, 0, 2, 1]), Self.element(0x81, Array("mail@example.com".utf8)),
            Self.element(0x87, [UInt8](repeating: 1, count: 16)),
        ])
        let certificate = try #require(X509Certificate(der: Self.certificate(extensions: [names])))
        let (short, long) = (Data([192, 0, 2, 1]), Data(repeating: 1, count: 16))
        #expect(certificate.names == [.dns("api.example.com"), .address(short), .address(long)])
        #expect(X509Certificate(der: Self.certificate())?.names == [])
    }

    @Test("An address of an invalid length and a truncated name make all names unreadable")
    func damagedNames() throws {
        let long = [UInt8](repeating: 1, count: 17)
        for name in [Self.element(0x87, [1, 2, 3]), Self.element(0x87, long), [0x82, 9, 0x61]] as [[UInt8]] {
            let certificate = try #require(X509Certificate(der: Self.certificate(extensions: [Self.names([name])])))
            #expect(certificate.names == nil)
        }
    }

    @Test("A certificate that deviates from the standard is refused")
    func strict() {
        let good = Self.certificate()
        #expect(X509Certificate(der: good) != nil)
        let twice = Self.names([Self.element(0x82, Array("a.example".utf8))])
        // RFC 5280, section 4.2: no extension twice. X.690, section 10.1: the shortest form of lengths.
        let bad: [Data] = [
            Data(), Data([0x30]), Self.certificate(tail: [0]), Self.certificate(version: [0xA0, 2, 2, 0, 9]),
            Self.certificate(extensions: [twice, twice]), Self.certificate(extensions: [Self.element(0x30, [])]),
            Data([0x30, 0x81, UInt8(good.count - 2)]) + good.dropFirst(2),
            Data([0x30, 0x80]) + good.dropFirst(2) + Data([0, 0]), Data([0x30, 0x85, 0, 0, 0, 0, 1, 0]),
        ]
        for (index, der) in bad.enumerated() { #expect(X509Certificate(der: der) == nil, "\(index)") }
    }

    /// RFC 5280, section 4.1.2.5.
    @Test(
        "Only times according to RFC 5280 are valid",
        arguments: [
            (0x17, "700101000000Z", 0), (0x17, "491231235959Z", 2_524_607_999), (0x17, "500101000000Z", -631_152_000),
            (0x18, "20240229120000Z", 1_709_208_000), (0x18, "20230229120000Z", nil), (0x18, "21000229000000Z", nil),
            (0x18, "20000229000000Z", 951_782_400), (0x18, "99991231235959Z", 253_402_300_799),
            (0x18, "00000101000000Z", -62_167_219_200), (0x17, "2501010000Z", nil), (0x17, "250101000000+0100", nil),
            (0x17, "251301000000Z", nil), (0x17, "250100000000Z", nil), (0x17, "250101240000Z", nil),
            (0x17, "250101006000Z", nil), (0x17, "250101000060Z", nil), (0x18, "20240101000000.5Z", nil),
            (0x17, "25010100000/Z", nil), (0x0C, "250101000000Z", nil), (0x17, "", nil),
        ] as [(UInt8, String, Double?)]
    )
    func times(tag: UInt8, text: String, expected: Double?) throws {
        let last = Self.time(0x18, "99991231235959Z")
        let der = Self.certificate(validity: Self.time(tag, text) + last)
        let certificate = try #require(X509Certificate(der: der))
        #expect(certificate.validity?.notBefore.timeIntervalSince1970 == expected)
    }

    @Test("A length of four bytes never reads past the end")
    func lengths() {
        for bytes in [[0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x84, 0x7F], [0x1F, 0], [0x30]] as [[UInt8]] {
            var reader = DERReader(ArraySlice(bytes))
            #expect(reader.next() == nil)
        }
        var long = DERReader([0x04, 0x81, 1, 7], allowsLongLengths: true)
        #expect(long.next()?.content.elementsEqual([7]) == true)
    }
}
