import Ferry

/// A certificate authority for one test run, with valid and invalid server certificates.
package struct ThrowawayCertificates: Sendable {
    /// The kinds of certificates: valid ones, and certificates with one fault.
    package enum Kind: String, CaseIterable, Sendable {
        /// For `localhost` and 127.0.0.1, from the authority that the tests trust.
        case good
        case expired
        case selfSigned
        /// Valid, but for `other.example`.
        case wrongHost
        /// From an authority that is not trusted.
        case unknownAuthority
        case notYetValid
        /// Like `good`, with a different key.
        case otherKey
        /// From an intermediate authority, whose certificate follows in the file.
        case chained
        /// Like `chained`, but expired.
        case chainedExpired
        /// Like `chained`, but for `other.example`.
        case chainedWrongHost

        fileprivate var isExpired: Bool { self == .expired || self == .chainedExpired }
        fileprivate var isForAnotherHost: Bool { self == .wrongHost || self == .chainedWrongHost }
        fileprivate var isChained: Bool { rawValue.hasPrefix("chained") }
    }

    package let folder: URL

    /// The file with the certificate of the authority to trust.
    package var authority: URL { folder.appendingPathComponent("authority.pem") }

    package func certificate(_ kind: Kind) -> URL { folder.appendingPathComponent("\(kind.rawValue).pem") }

    package func key(_ kind: Kind) -> URL { folder.appendingPathComponent("\(kind.rawValue).key") }

    /// Creates all certificates with the `openssl` command.
    package init(in folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.makeAuthority("authority", in: folder)
        try Self.makeAuthority("stranger", in: folder)
        try makeIntermediate()
        for kind in Kind.allCases { try make(kind) }
        try makeClient()
    }

    private static func makeAuthority(_ name: String, in folder: URL) throws {
        try openssl(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
                + ["-subj", "/CN=Ferry tests \(name)", "-addext", "keyUsage=critical,keyCertSign,cRLSign"]
                + ["-keyout", "\(name).key", "-out", "\(name).pem"],
            in: folder
        )
    }

    private func make(_ kind: Kind) throws {
        let name = kind.rawValue
        let hosts = kind.isForAnotherHost ? "DNS:other.example" : "DNS:localhost,IP:127.0.0.1"
        let request = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=\(hosts)", "-keyout", "\(name).key"]
        if kind == .selfSigned {
            return try Self.openssl(request + ["-x509", "-days", "2"] + subject + ["-out", "\(name).pem"], in: folder)
        }
        try Self.openssl(request + subject + ["-out", "\(name).csr"], in: folder)
        try Data("subjectAltName=\(hosts)\n".utf8).write(to: folder.appendingPathComponent("\(name).ext"))
        if kind == .notYetValid { return try signForLater(name) }
        let authority = kind == .unknownAuthority ? "stranger" : kind.isChained ? "intermediate" : "authority"
        try Self.openssl(
            ["x509", "-req", "-in", "\(name).csr", "-CA", "\(authority).pem", "-CAkey", "\(authority).key"]
                + ["-CAcreateserial", "-extfile", "\(name).ext", "-out", "\(name).pem"]
                + (kind.isExpired ? Self.expired : ["-days", "2"]),
            in: folder
        )
        guard kind.isChained else { return }
        var chain = try Data(contentsOf: certificate(kind))
        chain.append(try Data(contentsOf: intermediate))
        try chain.write(to: certificate(kind))
    }

    /// The arguments of `openssl x509` for a certificate that has expired; version 3.4 and later need dates for that.
    package static let expired: [String] = {
        let help = (try? Subprocess.output(of: "openssl", ["x509", "-help"])) ?? ""
        guard help.contains("-not_after") else { return ["-days", "-1"] }
        return ["-not_before", "20200101000000Z", "-not_after", "20210101000000Z"]
    }()

    package static func openssl(_ arguments: [String], in folder: URL) throws {
        try Subprocess.run("sh", ["-c", #"cd "$0" && exec openssl "$@""#, folder.path] + arguments)
    }
}
