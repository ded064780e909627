import Ferry
import FerrySession
import Testing

extension OpenSSLTests {
    /// Samples of the faults that C2SP's x509-limbo and Netflix's BetterTLS look for, in chains of our own.
    @Suite("Chains")
    final class ChainTests {
        private static let authority = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
        private static let hosts = ["subjectAltName=DNS:localhost,IP:127.0.0.1"]

        /// The fault of a chain.
        enum Variant: String, CaseIterable, Sendable, CustomTestStringConvertible {
            case good
            // x509-limbo: weak cryptography.
            case leafSignedWithSHA1, leafSignedWithMD5, intermediateSignedWithSHA1, leafWithRSA1024
            case intermediateWithRSA1024, intermediateWithP192, rootWithRSA1024, rootWithP192
            // A root's own signature proves nothing, so it may be weak.
            case rootSignedWithSHA1
            // x509-limbo: paths.
            case intermediateWithoutAuthority, intermediateWithoutBasicConstraints, intermediateWithoutKeyCertSign
            case pathTooLong, leafForClients, intermediateForClients, expiredIntermediate, expiredLeaf
            case unknownCriticalExtension, signedByAnotherKey, missingIntermediate
            // BetterTLS: name constraints.
            case nameExcluded, nameNotPermitted, namePermitted, addressExcluded
            // BetterTLS: of several paths, one is good.
            case secondPathIsGood, secondPathIsExpired, firstPathIsExpiredAndLeadsNowhere

            var testDescription: String { rawValue }

            static let accepted: Set<Variant> = [
                .good, .rootSignedWithSHA1, .namePermitted, .secondPathIsGood, .firstPathIsExpiredAndLeadsNowhere,
            ]
            static let withTwoPaths: Set<Variant> = [
                .secondPathIsGood, .secondPathIsExpired, .firstPathIsExpiredAndLeadsNowhere,
            ]

            static let weak: Set<Variant> = [
                .leafSignedWithSHA1, .leafSignedWithMD5, .intermediateSignedWithSHA1, .leafWithRSA1024,
                .intermediateWithRSA1024, .intermediateWithP192, .rootWithRSA1024, .rootWithP192,
            ]

            var constraints: String? {
                switch self {
                case .nameExcluded: "excluded;DNS:localhost"
                case .nameNotPermitted: "permitted;DNS:example.com"
                case .namePermitted: "permitted;DNS:localhost,permitted;IP:127.0.0.0/255.0.0.0"
                case .addressExcluded: "excluded;IP:127.0.0.0/255.0.0.0"
                default: nil
                }
            }
        }

        let shop: CertificateShop

        init() throws { shop = try CertificateShop() }

        deinit { shop.remove() }

        private typealias Chain = (leaf: CertificateShop.Issued, others: URL, root: CertificateShop.Issued)

        private func chain(_ variant: Variant) throws -> Chain {
            let root = try shop.issue(
                "root",
                key: variant == .rootWithRSA1024 ? "RSA:1024" : variant == .rootWithP192 ? "EC:prime192v1" : "EC:P-256",
                digest: variant == .rootSignedWithSHA1 ? "sha1" : "sha256",
                extensions: variant == .pathTooLong
                    ? ["basicConstraints=critical,CA:TRUE,pathlen:0", Self.authority[1]] : Self.authority
            )
            let intermediate = try shop.issue(
                "intermediate",
                key: variant == .intermediateWithRSA1024
                    ? "RSA:1024"
                    : variant == .intermediateWithP192
                        ? "EC:prime192v1"
                        // There is no signature of ECDSA with MD5.
                        : variant == .leafSignedWithMD5 ? "RSA:2048" : "EC:P-256",
                digest: variant == .intermediateSignedWithSHA1 ? "sha1" : "sha256",
                isExpired: variant == .expiredIntermediate || Variant.withTwoPaths.contains(variant),
                extensions: extensions(variant),
                by: variant == .firstPathIsExpiredAndLeadsNowhere
                    ? try shop.issue("stranger", extensions: Self.authority) : root
            )
            var others = [intermediate]
            if Variant.withTwoPaths.contains(variant) {
                // Another certificate of the same authority, with the same name and key.
                others.append(
                    try shop.issue(
                        "intermediate2",
                        subject: "intermediate",
                        key: intermediate.key.path,
                        isExpired: variant == .secondPathIsExpired,
                        extensions: Self.authority,
                        by: root
                    )
                )
            }
            // Of the same name, with another key.
            let twin = try shop.issue("twin", subject: "intermediate", extensions: Self.authority, by: root)
            let leaf = try shop.issue(
                "leaf",
                key: variant == .leafWithRSA1024 ? "RSA:1024" : "EC:P-256",
                digest: variant == .leafSignedWithSHA1 ? "sha1" : variant == .leafSignedWithMD5 ? "md5" : "sha256",
                isExpired: variant == .expiredLeaf,
                extensions: Self.hosts + (variant == .leafForClients ? ["extendedKeyUsage=clientAuth"] : [])
                    + (variant == .unknownCriticalExtension ? ["1.3.6.1.4.1.99999.1=critical,ASN1:NULL"] : []),
                by: variant == .signedByAnotherKey ? twin : intermediate
            )
            return (leaf, try shop.bundle("others.pem", variant == .missingIntermediate ? [root] : others), root)
        }

        private func extensions(_ variant: Variant) -> [String] {
            switch variant {
            case .intermediateWithoutAuthority: ["basicConstraints=critical,CA:FALSE"]
            case .intermediateWithoutBasicConstraints: ["subjectKeyIdentifier=hash"]
            case .intermediateWithoutKeyCertSign: [Self.authority[0], "keyUsage=critical,digitalSignature"]
            case .intermediateForClients: Self.authority + ["extendedKeyUsage=clientAuth"]
            default: Self.authority + (variant.constraints.map { ["nameConstraints=critical,\($0)"] } ?? [])
            }
        }

        /// Returns the reason for which the server is refused, or nil.
        private func refusal(
            _ server: OpenSSLServer,
            _ root: CertificateShop.Issued,
            _ policy: SecurityPolicy?
        ) async throws -> CurlSessionError.Code? {
            let session = CurlSession.trusting(root.certificate)
            session.trustPolicy = policy
            do {
                _ = try await session.fetch(server.url())
                return nil
            } catch let error as URLError {
                return try #require(error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError).code
            }
        }

        @Test("Session, policies and openssl's verification agree about a chain", .slow, arguments: Variant.allCases)
        func agreement(variant: Variant) async throws {
            let (leaf, others, root) = try chain(variant)
            let isAccepted = Variant.accepted.contains(variant)
            #expect(shop.verify(leaf, chain: others, root: root) == isAccepted, "openssl verify")
            let server = try OpenSSLServer(certificate: leaf.certificate, key: leaf.key, chain: others)
            #expect((try await refusal(server, root, nil) == nil) == isAccepted, "session")
            for mode in [SecurityPolicy.PinningMode.certificate, .publicKey] {
                for allowsInvalid in [false, true] {
                    var policy = SecurityPolicy(pinningMode: mode, allowsInvalidCertificates: allowsInvalid)
                    policy.pinnedCertificates = [try root.data]
                    let code = try await refusal(server, root, policy)
                    // With a pinned key and invalid certificates allowed, dates are ignored.
                    let ignoresDates = mode == .publicKey && allowsInvalid
                    let isDated = [.expiredLeaf, .expiredIntermediate, .secondPathIsExpired].contains(variant)
                    #expect(
                        (code == nil) == (isAccepted || (ignoresDates && isDated)),
                        "\(mode), invalid ones allowed: \(allowsInvalid): \(code?.rawValue ?? "accepted")"
                    )
                    if Variant.weak.contains(variant) { #expect(code == .certificateUntrusted) }
                }
            }
        }

        @Test("A certificate that only claims a pinned key's authority is not an anchor")
        func claimedAuthority() async throws {
            let root = try shop.issue("root", extensions: Self.authority)
            let stranger = try shop.issue("stranger", extensions: Self.authority)
            let constrained = Self.authority + ["nameConstraints=critical,permitted;DNS:example.com"]
            let pinned = try shop.issue("pinned", extensions: constrained, by: root)
            let leaf = try shop.issue("leaf", extensions: Self.hosts, by: pinned)
            // With the name and the key of the pinned authority, but not with its constraints.
            let (name, key) = ("pinned", pinned.key.path)
            let forged = try shop.issue("forged", subject: name, key: key, extensions: Self.authority, by: stranger)
            let own = try shop.issue("own", subject: name, key: key, extensions: Self.authority)
            let old = try shop.issue("old", subject: name, key: key, extensions: ["subjectKeyIdentifier=hash"])
            // Anyone can forge a certificate with such a signature.
            let weak = try shop.issue("weak", subject: name, key: key, digest: "sha1", extensions: Self.authority)
            let policy = SecurityPolicy(
                pinningMode: .publicKey,
                pinnedPublicKeys: [try PublicKeyPin(certificate: try pinned.data)],
                allowsInvalidCertificates: true
            )
            for (others, code) in [
                ([forged, stranger], .pinMismatch), ([pinned, root], .pinMismatch), ([old], .pinMismatch),
                ([weak], .pinMismatch), ([own], nil),
            ] as [([CertificateShop.Issued], CurlSessionError.Code?)] {
                let chain = try shop.bundle("others.pem", others)
                let server = try OpenSSLServer(certificate: leaf.certificate, key: leaf.key, chain: chain)
                let names = others.map(\.certificate.lastPathComponent)
                #expect(try await refusal(server, root, policy) == code, "\(names)")
            }
        }

        @Test("What a server sends does not take the place of a pinned certificate that has the same name and key")
        func sameNameAndKey() async throws {
            let root = try shop.issue("root", extensions: Self.authority)
            let leaf = try shop.issue("leaf", extensions: Self.hosts, by: root)
            let constrained = Self.authority + ["nameConstraints=critical,permitted;DNS:example.com"]
            let others = try (1...3).map {
                try shop.issue("other\($0)", subject: "root", key: root.key.path, extensions: constrained)
            }
            let chain = try shop.bundle("others.pem", others)
            let server = try OpenSSLServer(certificate: leaf.certificate, key: leaf.key, chain: chain)
            for allowsInvalid in [false, true] {
                let policy = SecurityPolicy(
                    pinningMode: .publicKey,
                    pinnedCertificates: [try root.data],
                    allowsInvalidCertificates: allowsInvalid
                )
                #expect(try await refusal(server, root, policy) == nil)
            }
        }

        @Test("A pinned certificate of the server's own is trusted as it is, however weak")
        func weakOwn() async throws {
            let own = try shop.issue("own", key: "RSA:1024", digest: "sha1", extensions: Self.hosts)
            let server = try OpenSSLServer(certificate: own.certificate, key: own.key)
            for mode in [SecurityPolicy.PinningMode.certificate, .publicKey] {
                var policy = SecurityPolicy(pinningMode: mode, allowsInvalidCertificates: true)
                policy.pinnedCertificates = [try own.data]
                #expect(try await refusal(server, own, policy) == nil)
            }
        }

        @Test("A session with a lower security level has the same in its policies")
        func level() async throws {
            let (leaf, others, root) = try chain(.intermediateSignedWithSHA1)
            let server = try OpenSSLServer(certificate: leaf.certificate, key: leaf.key, chain: others)
            for (level, isAccepted) in [(0, true), (2, false)] {
                for policy in [
                    nil,
                    SecurityPolicy(
                        pinningMode: .certificate,
                        pinnedCertificates: [try root.data],
                        allowsInvalidCertificates: true
                    ),
                ] {
                    let session = CurlSession.trusting(root.certificate) {
                        $0.tls.cipherSuites = ["DEFAULT@SECLEVEL=\(level)"]
                    }
                    session.trustPolicy = policy
                    let isFetched = (try? await session.fetch(server.url())) != nil
                    #expect(isFetched == isAccepted)
                }
            }
        }
    }
}
