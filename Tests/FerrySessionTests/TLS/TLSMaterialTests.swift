import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite("TLS options")
struct TLSMaterialTests {
    private func material(_ change: (inout TLSOptions) -> Void) throws -> TLSMaterial {
        var options = TLSOptions()
        change(&options)
        return try TLSMaterial(options, runtime: try CurlRuntime.current())
    }

    private func text(_ material: TLSMaterial) -> String? {
        material.authorities.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("By default libcurl makes all decisions, and verifies")
    func standard() throws {
        let material = try material { _ in }
        #expect(material.authorities == nil)
        #expect(material.usesSystemFolder)
        #expect(material.verifies)
        #expect(try material.identity(for: "a.test", hasLeftOrigin: false) == nil)
        #expect(material.version == TLSVersion.tls12.rawValue)
        #expect(material.evaluator == nil)
    }

    @Test(
        "Many connections do not read the system's file of authorities again",
        .enabled(
            if: CertificateAuthorities.fileSuffices && access("/proc/self/io", R_OK) == 0,
            "libcurl needs the folder of authorities, or the system does not count what is read"
        ),
        arguments: [false, true]
    )
    func readOnce(_ addsOne: Bool) async throws {
        // Authorities are loaded before a connection is used.
        let server = try RawServer { _ in }
        await #expect(processExitsWith: .success) { [port = server.port as Int, addsOne = addsOne as Bool] in
            var options = CurlSession.Options()
            if addsOne { options.tls.certificateAuthorities = .systemAnd([.der(Certificates.der)]) }
            let session = CurlSession(configuration: .ephemeral, options: options)
            let url = try #require(URL(string: "https://127.0.0.1:\(port)"))
            func read() throws -> Int {
                let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
                let line = text.split(separator: "\n").first { $0.hasPrefix("rchar: ") }
                return try #require(line.flatMap { Int($0.dropFirst(7)) })
            }
            _ = try? await session.data(from: url)
            let before = try read()
            for _ in 0..<10 { _ = try? await session.data(from: url) }
            let file = try #require(CertificateAuthorities.systemFile(try CurlRuntime.current()))
            let size = try #require(file.resourceValues(forKeys: [.fileSizeKey]).fileSize)
            try #require(try read() - before < 5 * size)
        }
        try await eventually("the end of the connections") { server.finished >= 11 }
    }

    @Test("A file of authorities that has all certificates of the folder is enough")
    func folder() throws {
        let scratch = try TemporaryFolder()
        let other = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let file = try scratch.file("bundle.crt", Certificates.pem + other)
        let folder = try TemporaryFolder()
        #expect(CertificateAuthorities.has(allOf: folder.url.path, inFile: file.path))
        try folder.file("0123abcd.0", Certificates.pem)
        try folder.file("0123abcd.1", other)
        for name in ["ca-certificates.crt", "0123abcd.0.pem", "java"] {
            try folder.file(name, other.replacing("AAAA", with: "BBBB"))
        }
        #expect(CertificateAuthorities.has(allOf: folder.url.path, inFile: file.path))
        try folder.file("ffffffff.0", other.replacing("AAAA", with: "BBBB"))
        #expect(!CertificateAuthorities.has(allOf: folder.url.path, inFile: file.path))
        #expect(CertificateAuthorities.has(allOf: nil, inFile: file.path))
        #expect(!CertificateAuthorities.has(allOf: nil, inFile: scratch.path("missing")))
    }

    @Test("Added authorities are used together with all of the system's")
    func added() throws {
        let bundle = try #require(CertificateAuthorities.systemFile(try CurlRuntime.current()))
        let system = try String(contentsOf: bundle, encoding: .utf8)
        let found = try material { $0.certificateAuthorities = .systemAnd([.der(Certificates.der)]) }
        let all = try #require(text(found))
        #expect(all.hasPrefix(system))
        #expect(all.dropFirst(system.count).contains(PEM.text(certificate: Certificates.der)))
        #expect(found.usesSystemFolder)
        let blocks = try PEM.blocks(in: Data(all.utf8), what: "")
        #expect(blocks.count == (try PEM.blocks(in: Data(system.utf8), what: "").count) + 1)
    }

    @Test("With only the given authorities, the system's file and folder are not used")
    func only() throws {
        let file = try TemporaryFile(Data(Certificates.pem.utf8))
        for source in [CertificateSource.pemFile(file.url), .pem(Data(Certificates.pem.utf8)), .der(Certificates.der)] {
            let found = try material { $0.certificateAuthorities = .only([source]) }
            #expect(text(found) == PEM.text(certificate: Certificates.der))
            #expect(!found.usesSystemFolder)
        }
    }

    @Test(
        "Authorities that cannot be read are named",
        arguments: [
            (CertificateSource.pemFile(URL(fileURLWithPath: "/none/here.pem")), "/none/here.pem"),
            (.pemFile(URL(fileURLWithPath: "/dev/zero")), "/dev/zero"),
            (.pemFile(URL(fileURLWithPath: "/etc")), "/etc"),
            (.pem(Data("nothing".utf8)), "no certificate"), (.der(Data([1, 2, 3])), "not a certificate"),
            (.pem(Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----".utf8)), "damaged"),
        ]
    )
    func unreadable(source: CertificateSource, words: String) {
        for authorities in [CertificateAuthorities.only([source]), .systemAnd([source])] {
            let error = #expect(throws: CurlSessionError.self) {
                try material { $0.certificateAuthorities = authorities }
            }
            #expect(error?.code == .invalidTLSOptions)
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test("Contradictions are refused", arguments: 0..<5)
    func contradictions(index: Int) {
        let changes: [(inout TLSOptions) -> Void] = [
            { ($0.minimumVersion, $0.maximumVersion) = (.tls13, .tls12) },
            { $0.trustMode = .replacesSystemTrust },
            { $0.certificateAuthorities = .only([]) },
            { $0.cipherSuites = [""] },
            { $0.tls13CipherSuites = ["A B"] },
        ]
        let error = #expect(throws: CurlSessionError.self) { try material(changes[index]) }
        #expect(error?.code == .invalidTLSOptions)
    }

    @Test("Versions are mapped to libcurl's numbers")
    func versions() {
        #expect(TLSVersion.curlValue(minimum: nil, maximum: nil) == 6)
        #expect(TLSVersion.curlValue(minimum: nil, maximum: .tls13) == 6 | 7 << 16)
        #expect(TLSVersion.curlValue(minimum: nil, maximum: .tls11) == 5 | 5 << 16)
        #expect(TLSVersion.curlValue(minimum: .tls12, maximum: nil) == 6)
        #expect(TLSVersion.curlValue(minimum: .tls10, maximum: .tls11) == 4 | 5 << 16)
        #expect(TLSVersion.curlValue(minimum: .tls13, maximum: .tls13) == 7 | 7 << 16)
    }

    @Test("An encrypted key without a passphrase is refused, since the TLS library would prompt on the terminal")
    func encryptedKey() {
        let key = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
        let both = Data((Certificates.pem + "\n" + key).utf8)
        for certificate in [ClientCertificate.pem(certificate: both), .pem(certificate: both, passphrase: "")] {
            let error = #expect(throws: CurlSessionError.self) { try material { $0.clientCertificate = certificate } }
            #expect(error?.code == .wrongPassphrase)
        }
        #expect(throws: Never.self) {
            try material { $0.clientCertificate = .pem(certificate: both, passphrase: "a") }
        }
    }

    @Test("The texts of a client certificate contain no secrets")
    func secrets() throws {
        let certificate = ClientCertificate.pem(certificate: Data("KEY".utf8), passphrase: "hunter2")
        var dumped = ""
        dump(certificate, to: &dumped)
        var options = TLSOptions()
        options.clientCertificate = certificate
        let key = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
        let read = try material {
            $0.clientCertificate = .pem(certificate: Data((Certificates.pem + "\n" + key).utf8), passphrase: "hunter2")
        }
        dump(read, to: &dumped)
        for text in ["\(certificate)", String(reflecting: certificate), dumped, "\(options)"] {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("KEY"))
        }
    }

    @Test(
        "An evaluator requires OpenSSL, recognized by libcurl's names for it",
        arguments: [
            ("OpenSSL/3.0.15", true), ("LibreSSL/3.3.6", true), ("BoringSSL", true), ("(GnuTLS/3.7) OpenSSL/3.0", true),
            ("GnuTLS/3.7.9", false), ("(OpenSSL/3.0) GnuTLS/3.7", false), ("mbedTLS/3.5", false), ("", false),
        ]
    )
    func backends(name: String, isOpenSSL: Bool) {
        #expect(TLSBackend.isOpenSSL(name) == isOpenSSL)
    }
}
