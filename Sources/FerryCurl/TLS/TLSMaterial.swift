/// `TLSOptions` after validation, with all files read, ready to configure a handle.
package struct TLSMaterial: Sendable {
    package struct Identity: Sendable, RedactedDescription {
        package var certificate: TLSBlob
        package var key: TLSBlob?
        package var type: String
        package var passphrase: String
        /// Whether there is a passphrase, so that a wrong one can be distinguished from a damaged file.
        package var isEncrypted: Bool
        package var description: String { "a client identity" }
    }

    /// The PEM text of the authorities to trust; `nil` for libcurl's default.
    package var authorities: TLSBlob?
    /// A file with the same text: libcurl parses a file once a day, but a text for each connection.
    private var file: MemoryFile?
    /// Whether libcurl may also use the system's folder of authorities.
    package var usesSystemFolder = true
    /// What libcurl gets in place of the system's folder; from 8.21 on, no folder means the system's folder.
    private static let noFolder = "/dev/null"
    private var identity: Identity?
    private var identityHosts = HostTable<Bool>()
    package let version: Int
    package var cipherSuites = ""
    package var tls13CipherSuites = ""
    package var pins: HostPins
    package var verifies = true
    /// Whether the certificate of a resolver is verified, which no evaluator does.
    let verifiesResolver: Bool
    package var evaluator: (@Sendable (ServerTrust) -> TrustDecision)?
    /// The file of revocation lists, which libcurl reads itself.
    package private(set) var revocationLists: String?
    package let requiresStapledStatus: Bool
    /// Whether libcurl checks revocation, which it does only together with the chain.
    var checksRevocation: Bool { revocationLists != nil || requiresStapledStatus }

    package init(_ options: TLSOptions, runtime: CurlRuntime?) throws(CurlSessionError) {
        let (minimum, maximum) = (options.minimumVersion, options.maximumVersion)
        if let minimum, let maximum, maximum < minimum {
            throw .invalidTLS("The minimum version of TLS, \(minimum), is above the maximum, \(maximum)")
        }
        version = TLSVersion.curlValue(minimum: minimum, maximum: maximum)
        for suite in options.cipherSuites + options.tls13CipherSuites
        where suite.isEmpty || !suite.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            throw .invalidTLS("Not a valid cipher suite name: \(suite.debugDescription)")
        }
        cipherSuites = options.cipherSuites.joined(separator: ":")
        tls13CipherSuites = options.tls13CipherSuites.joined(separator: ":")
        pins = try HostPins(options.publicKeyPins)
        verifies = options.trustMode == .verifiesFirst && !options.dangerouslyDisablesVerification
        verifiesResolver = !options.dangerouslyDisablesVerification
        evaluator = options.trustEvaluator
        requiresStapledStatus = options.requiresStapledStatus
        if options.trustMode == .replacesSystemTrust, evaluator == nil {
            throw .invalidTLS("The trust mode replacesSystemTrust needs a trustEvaluator, but none is set")
        }
        if evaluator != nil { try TLSBackend.requireEvaluation(runtime) }
        try readAuthorities(options, runtime)
        revocationLists = try Self.revocationLists(options)
        if checksRevocation, !verifies {
            throw .invalidTLS("Revocation is only checked together with the chain, which the options do not verify")
        }
        identity = try options.clientCertificate.map(Identity.init)
        for host in options.clientCertificateHosts { try identityHosts.add(host, true) }
    }

    /// Sets what a handle verifies certificates with, by libcurl's options for servers or those for proxies.
    func setAuthorities(of easy: EasyHandle, forProxy: Bool = false) throws(CurlSessionError) {
        let folder = forProxy ? CurlOption.proxyCAPath : CurlOption.caPath
        let path = file?.path
        if let path {
            try easy.require(forProxy ? CurlOption.proxyCAInfo : CurlOption.caInfo, path)
        } else if let authorities {
            try easy.require(forProxy ? CurlOption.proxyCAInfoBlob : CurlOption.caInfoBlob, authorities)
        }
        if !usesSystemFolder {
            easy.set(folder, Self.noFolder)
        } else if authorities == nil || path != nil, CertificateAuthorities.fileSuffices {
            easy.unset(folder)
        }
        if let lists = revocationLists {
            try easy.require(forProxy ? CurlOption.proxyRevocationLists : CurlOption.revocationLists, lists)
        }
    }

    /// Returns the client certificate for a host, to which a redirect from another origin may have led.
    package func identity(for host: String, hasLeftOrigin: Bool) throws(CurlSessionError) -> Identity? {
        guard identity != nil else { return nil }
        if identityHosts.isEmpty { return hasLeftOrigin ? nil : identity }
        return try identityHosts.value(for: host) == true ? identity : nil
    }

    private static func revocationLists(_ options: TLSOptions) throws(CurlSessionError) -> String? {
        guard let file = options.revocationLists else { return nil }
        let what = "The file of revocation lists"
        let blocks = try PEM.blocks(in: try PEM.contents(of: file, what: what), what: what)
        guard blocks.contains(where: { $0.label == "X509 CRL" }) else {
            throw .invalidTLS("\(what) has none: \(file.path)")
        }
        return file.path
    }

    private mutating func readAuthorities(_ options: TLSOptions, _ runtime: CurlRuntime?) throws(CurlSessionError) {
        let sources: [CertificateSource]
        var text = Data()
        switch options.certificateAuthorities {
        case .system: return
        case .systemAnd(let more):
            sources = more
            if let bundle = CertificateAuthorities.systemFile(runtime) {
                text = try PEM.contents(of: bundle, what: "The system's file of certificate authorities")
                text.append(0x0A)
            } else if runtime?.authorityFolder == nil {
                throw CurlSessionError(.tlsUnsupported, "The system's certificate authorities were not found")
            }
        case .only(let these):
            sources = these
            usesSystemFolder = false
            guard !these.isEmpty else { throw .invalidTLS("The list of trusted certificate authorities is empty") }
        }
        for source in sources {
            for certificate in try source.certificates() { text.append(Data(PEM.text(certificate: certificate).utf8)) }
        }
        guard !text.isEmpty else { return }
        let blob = TLSBlob(text)
        authorities = blob
        if usesSystemFolder, CertificateAuthorities.fileSuffices { file = MemoryFile(blob.bytes) }
    }
}

extension CurlSessionError {
    /// Makes an error about ``TLSOptions``.
    static func invalidTLS(_ message: String) -> Self { Self(.invalidTLSOptions, message) }

    fileprivate static func unusable(_ message: String) -> Self { Self(.clientCertificateUnusable, message) }
}

extension TLSMaterial.Identity {
    package init(_ certificate: ClientCertificate) throws(CurlSessionError) {
        passphrase = certificate.passphrase ?? ""
        if passphrase.utf8.contains(0) { throw .unusable("The client certificate's passphrase has a null byte") }
        switch certificate.storage {
        case .pkcs12(let input):
            let data = try input.contents("The PKCS#12 client certificate")
            // PKCS#12 may be BER, whose lengths may be indefinite (X.690, section 8.1.3.6).
            var reader = DERReader(ArraySlice(data), allowsLongLengths: true)
            let isIndefinite = data.starts(with: [DERReader.Tag.sequence, 0x80])
            guard isIndefinite || reader.next(DERReader.Tag.sequence) != nil else {
                throw .unusable("The client certificate is not PKCS#12")
            }
            (self.certificate, key, type, isEncrypted) = (TLSBlob(data), nil, "P12", true)
        case .pem(let certificate, let key):
            let chain = try certificate.contents("The client certificate")
            let keyText = try key.map { input throws(CurlSessionError) in try input.contents("The client's key") }
            let blocks = try Self.blocks(chain, "The client certificate")
            guard let leaf = blocks.first(where: \.isCertificate), X509Certificate.isReadable(leaf.content) else {
                throw .unusable("The client certificate has no valid certificate in PEM form")
            }
            let keys = try keyText.map { text throws(CurlSessionError) in try Self.blocks(text, "The client's key") }
            guard let found = (keys ?? blocks).first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
                throw .unusable("The client certificate has no private key")
            }
            // Without a passphrase, the TLS library would prompt for it on the terminal.
            guard !found.isEncrypted || !passphrase.isEmpty else {
                throw CurlSessionError(.wrongPassphrase, "The client's key is encrypted, but there is no passphrase")
            }
            self.certificate = TLSBlob(chain)
            (self.key, type, isEncrypted) = (TLSBlob(keyText ?? chain), "PEM", found.isEncrypted)
        }
    }

    private static func blocks(_ data: Data, _ what: String) throws(CurlSessionError) -> [PEM.Block] {
        try PEM.blocks(in: data, what: what, code: .clientCertificateUnusable)
    }
}

extension ClientCertificate.Input {
    fileprivate func contents(_ what: String) throws(CurlSessionError) -> Data {
        switch self {
        case .data(let data): data
        case .file(let url): try PEM.contents(of: url, what: what, code: .clientCertificateUnusable)
        }
    }
}

/// Bytes at a fixed address, which libcurl reads whenever it connects.
///
/// `@unchecked Sendable`: the bytes are never changed.
package final class TLSBlob: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawBufferPointer

    package init(_ data: Data) {
        memory = .allocate(byteCount: data.count, alignment: 1)
        data.copyBytes(to: memory)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit { memory.deallocate() }
}

/// The capabilities of libcurl's TLS library.
package enum TLSBackend {
    /// Whether libcurl's name for the library, such as `(GnuTLS/3.7) OpenSSL/3.0`, is of OpenSSL or one of its forks.
    package static func isOpenSSL(_ name: String) -> Bool {
        let kinds = ["OpenSSL/", "LibreSSL/", "BoringSSL", "AWS-LC", "quictls/"]
        return name.split(separator: " ").contains { part in kinds.contains { part.hasPrefix($0) } }
    }

    /// Throws an error if an evaluator could not see the chain before the first byte of a request.
    static func requireEvaluation(_ runtime: CurlRuntime?) throws(CurlSessionError) {
        guard let runtime, !isOpenSSL(runtime.tlsBackend ?? "") else { return }
        throw CurlSessionError(.tlsUnsupported, "Evaluating trust requires a libcurl with OpenSSL, not \(runtime)")
    }
}
