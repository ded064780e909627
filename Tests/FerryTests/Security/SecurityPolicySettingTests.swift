import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Setting a security policy")
struct SecurityPolicySettingTests {
    private static let pins = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [SampleChain.leaf])
    private static let base = URL(string: "https://api.example.com/")

    private func code(_ body: () throws -> Void) -> NetworkError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? NetworkError)?.code
        }
    }

    @Test("The system's session accepts only the default policy, at creation and later")
    func system() throws {
        let policies = [
            Self.pins, SecurityPolicy(allowsInvalidCertificates: true), SecurityPolicy(validatesDomainName: false),
            SecurityPolicy(hostPolicies: ["h": Self.pins]),
        ]
        for policy in policies {
            #expect(
                code { _ = try SessionManager(transport: .system, securityPolicy: policy) } == .invalidSecurityPolicy
            )
            let manager = HTTPSessionManager(baseURL: Self.base, transport: .system)
            #expect(code { try manager.setSecurityPolicy(policy) } == .invalidSecurityPolicy)
            #expect(manager.securityPolicy == SecurityPolicy())
        }
        _ = try SessionManager(transport: .system, securityPolicy: SecurityPolicy())
    }

    @Test("A session made by a closure accepts a policy if it is a CurlSession")
    func madeSession() throws {
        let plain = SessionTransport.session { URLSession(configuration: $0, delegate: $1, delegateQueue: $2) }
        #expect(code { _ = try SessionManager(transport: plain, securityPolicy: Self.pins) } == .invalidSecurityPolicy)
        let ours = SessionTransport.session { CurlSession(configuration: $0, delegate: $1, delegateQueue: $2) }
        let manager = try SessionManager(transport: ours, securityPolicy: Self.pins)
        #expect((manager.session as? CurlSession)?.trustPolicy as? SecurityPolicy == Self.pins)
    }

    @Test("A later session that cannot enforce the policy runs no task")
    func laterSession() async throws {
        let made = Watched(0)
        let transport = SessionTransport.session { configuration, delegate, queue in
            let count = made.change { count in
                count += 1
                return count
            }
            return count == 1
                ? CurlSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
                : URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        }
        let server = try LoopbackServer { _ in .json("1") }
        let manager = try SessionManager(transport: transport, securityPolicy: Self.pins)
        manager.invalidate(cancellingTasks: true, resettingSession: true)
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .json)
        #expect(response.error?.code == .invalidSecurityPolicy)
        #expect(server.requests.isEmpty)
    }

    @Test("Pins need an https base URL in an HTTP manager")
    func baseURL() throws {
        for base in [nil, "http://api.example.com/"] {
            let url = base.flatMap { URL(string: $0) }
            #expect(
                code { _ = try HTTPSessionManager(baseURL: url, securityPolicy: Self.pins) } == .invalidSecurityPolicy
            )
            _ = try HTTPSessionManager(baseURL: url, securityPolicy: SecurityPolicy(hostPolicies: ["h": Self.pins]))
        }
        #expect(try HTTPSessionManager(baseURL: Self.base, securityPolicy: Self.pins).securityPolicy == Self.pins)
        _ = try SessionManager(securityPolicy: Self.pins)
    }

    @Test("A policy that could never match is refused")
    func contradictions() {
        let nested = SecurityPolicy(hostPolicies: ["h": SecurityPolicy(hostPolicies: ["i": Self.pins])])
        let bad = [
            SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [Data("no certificate".utf8)]),
            SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: ["sha256//short"]),
            SecurityPolicy(hostPolicies: ["https://h": Self.pins]), nested,
            SecurityPolicy(hostPolicies: ["h": SecurityPolicy(pinnedPublicKeys: ["x"])]),
        ]
        for policy in bad { #expect(code { try SessionManager().setSecurityPolicy(policy) } == .invalidSecurityPolicy) }
    }

    @Test("A policy applies to the current session and to later ones")
    func sessions() throws {
        let manager = SessionManager()
        let first = try #require(manager.session as? CurlSession)
        #expect(first.trustPolicy == nil)
        try manager.setSecurityPolicy(Self.pins)
        #expect(first.trustPolicy as? SecurityPolicy == Self.pins)
        manager.invalidate(cancellingTasks: false, resettingSession: true)
        #expect((manager.session as? CurlSession)?.trustPolicy as? SecurityPolicy == Self.pins)
        try manager.setSecurityPolicy(SecurityPolicy())
        #expect((manager.session as? CurlSession)?.trustPolicy == nil)
    }

    @Test("Certificates are read from the files of a folder, as DER and as PEM with several certificates")
    func folder() throws {
        let folder = try TemporaryFolder()
        func pem(_ certificates: [Data]) -> String {
            certificates.map {
                "-----BEGIN CERTIFICATE-----\n\($0.base64EncodedString(options: .lineLength64Characters))\n"
                    + "-----END CERTIFICATE-----\n"
            }.joined()
        }
        try SampleChain.leaf.write(to: folder.url.appendingPathComponent("leaf.cer"))
        try SampleChain.stranger.write(to: folder.url.appendingPathComponent("stranger.DER"))
        _ = try folder.file("chain.pem", "A comment\n" + pem([SampleChain.root, SampleChain.intermediate]))
        _ = try folder.file("again.crt", pem([SampleChain.root]))
        _ = try folder.file("read.me", "no certificate")
        let all: Set = [SampleChain.leaf, SampleChain.stranger, SampleChain.root, SampleChain.intermediate]
        #expect(try SecurityPolicy.certificates(inDirectory: folder.url) == all)
        let bundle = try #require(Bundle(path: folder.url.path))
        #expect(try SecurityPolicy(pinningMode: .certificate, certificatesIn: bundle).pinnedCertificates == all)
        #expect(try SecurityPolicy.certificates(inFile: folder.url.appendingPathComponent("chain.pem")).count == 2)
        _ = try folder.file("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        #expect(code { _ = try SecurityPolicy.certificates(inDirectory: folder.url) } == .invalidSecurityPolicy)
        let missing = folder.url.appendingPathComponent("missing")
        #expect(code { _ = try SecurityPolicy.certificates(inDirectory: missing) } == .invalidSecurityPolicy)
    }

    @Test("A folder or bundle without a certificate is an error, since its pins would match no server")
    func emptyFolder() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("read.me", "no certificate")
        let bundle = try #require(Bundle(path: folder.url.path))
        let reads: [() throws -> Void] = [
            { _ = try SecurityPolicy.certificates(inDirectory: folder.url) },
            { _ = try SecurityPolicy.certificates(in: bundle) },
            { _ = try SecurityPolicy(pinningMode: .publicKey, certificatesIn: bundle) },
            { _ = try SecurityPolicy(pinningMode: .certificate, certificatesInDirectory: folder.url) },
        ]
        for read in reads {
            let error = #expect(throws: NetworkError.self) { try read() }
            #expect(error?.code == .invalidSecurityPolicy)
            #expect(error?.message == "There is no certificate (.cer, .crt, .pem, .der) in \(folder.url.path)")
        }
    }

    @Test("A policy survives encoding and decoding")
    func coding() throws {
        var policy = Self.pins
        policy.pinnedPublicKeys = [try PublicKeyPin(certificate: SampleChain.root)]
        policy.hostPolicies = [
            "*.example.com": SecurityPolicy(pinningMode: .publicKey, allowsInvalidCertificates: true)
        ]
        let data = try JSONEncoder().encode(policy)
        #expect(try JSONDecoder().decode(SecurityPolicy.self, from: data) == policy)
    }
}
