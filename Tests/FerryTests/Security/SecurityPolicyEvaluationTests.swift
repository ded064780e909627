import Ferry
import FerrySession
import Foundation
import Testing

@Suite("Security policy evaluation")
struct SecurityPolicyEvaluationTests {
    private typealias Sample = SampleChain
    private static let host = "api.example.com"
    private static let good = [Sample.leaf, Sample.intermediate]

    private func verdict(
        _ policy: SecurityPolicy,
        _ chain: [Data] = good,
        host: String = host,
        verifyResult: Int? = 0,
        date: Date = Sample.date
    ) -> SecurityPolicy.Refusal? {
        let trust = ServerTrust(host: host, port: 443, certificates: chain, verifyResult: verifyResult)
        do throws(SecurityPolicy.Refusal) {
            try policy.evaluate(trust, date: date)
            return nil
        } catch {
            return error
        }
    }

    private func pinning(
        _ mode: SecurityPolicy.PinningMode,
        _ certificates: Set<Data>,
        allowsInvalid: Bool = false,
        validatesDomain: Bool = true
    ) -> SecurityPolicy {
        SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: certificates,
            allowsInvalidCertificates: allowsInvalid,
            validatesDomainName: validatesDomain
        )
    }

    @Test(
        "1. Allowing invalid certificates but validating hosts needs pins",
        arguments: SecurityPolicy.PinningMode.allCases
    )
    func needsPins(mode: SecurityPolicy.PinningMode) {
        #expect(verdict(pinning(mode, [], allowsInvalid: true)) == .domainNeedsPins)
        let unchecked = pinning(mode, [], allowsInvalid: true, validatesDomain: false)
        #expect(verdict(unchecked, verifyResult: nil) == (mode == .none ? nil : .noPins))
    }

    @Test("2. An untrusted chain is refused unless allowed", arguments: SecurityPolicy.PinningMode.allCases)
    func untrusted(mode: SecurityPolicy.PinningMode) {
        let policy = pinning(mode, [Sample.leaf])
        #expect(verdict(policy) == nil)
        #expect(verdict(policy, verifyResult: 20) == .untrustedChain(verifyResult: 20))
        #expect(verdict(policy, verifyResult: nil) == .untrustedChain(verifyResult: nil))
        #expect(verdict(policy, [Sample.short]) == .expired)
        #expect(verdict(policy, [Sample.short], date: Date(timeIntervalSince1970: 0)) == .notYetValid)
    }

    @Test("3. A pinned certificate that has only a common name needs a policy that does not validate the host")
    func commonName() {
        // The root is self-signed, and names no host.
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            let policy = pinning(mode, [Sample.root], allowsInvalid: true)
            #expect(verdict(policy, [Sample.root], verifyResult: 18) == .noHostNames)
            let unchecked = pinning(mode, [Sample.root], allowsInvalid: true, validatesDomain: false)
            #expect(verdict(unchecked, [Sample.root], verifyResult: 18) == nil)
            #expect(verdict(unchecked, [Sample.selfSigned], verifyResult: 18) == .notPinned)
        }
        #expect(SecurityPolicy.Refusal.noHostNames.code == .certificateHostMismatch)
        #expect(SecurityPolicy.Refusal.noHostNames.description.contains("validatesDomainName"))
    }

    @Test("3. The host is validated in every mode", arguments: SecurityPolicy.PinningMode.allCases, [false, true])
    func hosts(mode: SecurityPolicy.PinningMode, allowsInvalid: Bool) {
        guard mode != .none || !allowsInvalid else { return }
        var policy = pinning(mode, [Sample.leaf], allowsInvalid: allowsInvalid)
        #expect(verdict(policy, host: "a.example.org") == nil)
        #expect(verdict(policy, host: "[2001:db8::1]") == nil)
        #expect(verdict(policy, host: "other.example") == .hostMismatch)
        policy.validatesDomainName = false
        #expect(verdict(policy, host: "other.example") == nil)
    }

    @Test(
        "4. A pinning mode without pins refuses every server",
        arguments: [SecurityPolicy.PinningMode.publicKey, .certificate]
    )
    func noPins(mode: SecurityPolicy.PinningMode) {
        #expect(verdict(pinning(mode, [])) == .noPins)
        var keys = pinning(mode, [])
        keys.pinnedPublicKeys = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
        #expect(verdict(keys) == (mode == .publicKey ? .notPinned : .noPins))
    }

    @Test(
        "5. A pinned certificate is the server's own, or an anchor of its path, presented or not",
        arguments: [
            (Sample.leaf, good, nil), (Sample.intermediate, good, nil), (Sample.root, good, nil),
            (Sample.root, [Sample.leaf], .notPinned), (Sample.stranger, good, .notPinned),
            (Sample.selfSigned, [Sample.selfSigned], nil), (Sample.leaf, [Sample.selfSigned], .notPinned),
            (Sample.short, [Sample.short], .expired), (Sample.root, [Sample.short, Sample.intermediate], .expired),
        ] as [(Data, [Data], SecurityPolicy.Refusal?)],
        [false, true]
    )
    func certificates(pin: (pin: Data, chain: [Data], expected: SecurityPolicy.Refusal?), allowsInvalid: Bool) {
        let policy = pinning(.certificate, [pin.pin, Sample.below], allowsInvalid: allowsInvalid)
        #expect(verdict(policy, pin.chain, verifyResult: allowsInvalid ? nil : 0) == pin.expected)
    }

    @Test(
        "6. A pinned key is the server's own, or signs a certificate of its path",
        arguments: [
            (Sample.leaf, good, nil), (Sample.intermediate, good, nil), (Sample.root, good, nil),
            (Sample.root, good + [Sample.root], nil), (Sample.root, [Sample.leaf], .notPinned),
            (Sample.stranger, good, .notPinned), (Sample.leaf, [Sample.selfSigned], .notPinned),
        ] as [(Data, [Data], SecurityPolicy.Refusal?)],
        [false, true]
    )
    func keys(pin: (pin: Data, chain: [Data], expected: SecurityPolicy.Refusal?), allowsInvalid: Bool) throws {
        let verifyResult = allowsInvalid ? nil : 0
        let policy = pinning(.publicKey, [pin.pin], allowsInvalid: allowsInvalid)
        #expect(verdict(policy, pin.chain, verifyResult: verifyResult) == pin.expected)
    }

    @Test("A hash alone pins only keys that the server presents")
    func hashes() throws {
        let pins = try [Sample.leaf, Sample.intermediate, Sample.root].map { try PublicKeyPin(certificate: $0) }
        for (pin, chain, expected) in [
            (pins[0], Self.good, nil), (pins[1], Self.good, nil), (pins[2], Self.good + [Sample.root], nil),
            (pins[2], Self.good, .notPinned),
        ] as [(PublicKeyPin, [Data], SecurityPolicy.Refusal?)] {
            #expect(verdict(SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: [pin]), chain) == expected)
        }
    }

    @Test("A renewed certificate with a pinned key is accepted, and if expired, only when invalid ones are allowed")
    func renewed() {
        let chain = [Sample.short, Sample.intermediate]
        #expect(verdict(pinning(.publicKey, [Sample.leaf], allowsInvalid: true), chain, verifyResult: nil) == nil)
        #expect(verdict(pinning(.publicKey, [Sample.root], allowsInvalid: true), chain, verifyResult: nil) == nil)
        #expect(verdict(pinning(.publicKey, [Sample.leaf]), chain) == .expired)
        #expect(
            verdict(pinning(.certificate, [Sample.leaf], allowsInvalid: true), chain, verifyResult: nil) == .expired
        )
    }

    @Test(
        "A pinned certificate that another server sends along does not count, whatever the names",
        arguments: [SecurityPolicy.PinningMode.publicKey, .certificate],
        [false, true]
    )
    func sentAlong(mode: SecurityPolicy.PinningMode, allowsInvalid: Bool) throws {
        let chains = [
            [Sample.forgedLeaf, Sample.intermediate],
            [Sample.forgedLeaf, Sample.forgedIntermediate, Sample.intermediate],
            [Sample.forgedLeaf, Sample.intermediate, Sample.forgedIntermediate, Sample.stranger, Sample.root],
            [Sample.forgedLeaf, Sample.leaf, Sample.intermediate, Sample.root], [Sample.selfSigned, Sample.leaf],
            [Sample.below, Sample.leaf, Sample.intermediate, Sample.root],
        ]
        for pin in [Sample.intermediate, Sample.root, Sample.leaf] {
            var policy = pinning(mode, [pin], allowsInvalid: allowsInvalid)
            policy.pinnedPublicKeys = [try PublicKeyPin(certificate: pin)]
            for (index, chain) in chains.enumerated() {
                let refusal = verdict(policy, chain, verifyResult: allowsInvalid ? nil : 0)
                #expect(refusal == .notPinned, "chain \(index)")
            }
        }
    }

    @Test("An empty chain and unreadable certificates are refused")
    func nonsense() {
        #expect(verdict(SecurityPolicy(), []) == .noCertificate)
        #expect(verdict(SecurityPolicy(), [Data()]) == .unreadableCertificate)
        #expect(verdict(pinning(.certificate, [Sample.root]), [Sample.leaf, Data([1])]) == .unreadableCertificate)
        #expect(verdict(SecurityPolicy(), host: "b\u{FC}cher.example") == .hostMismatch)
    }

    @Test("The most specific host policy replaces the policy")
    func hostPolicies() throws {
        var policy = pinning(.certificate, [Sample.stranger])
        policy.hostPolicies = [
            "api.example.com": SecurityPolicy(), "*.example.org": pinning(.publicKey, [Sample.leaf]),
            "b.example.org": pinning(.publicKey, [Sample.root]),
        ]
        #expect(verdict(policy, host: "API.example.com.") == nil)
        #expect(verdict(policy, host: "a.example.org") == nil)
        #expect(verdict(policy, [Sample.leaf], host: "b.example.org") == .notPinned)
        #expect(verdict(policy, host: "192.0.2.1") == .notPinned)
        #expect(verdict(policy, host: "a%2Fb") == .unreadableHost)
        policy.hostPolicies["B.example.org."] = SecurityPolicy()
        #expect(verdict(policy) == .unreadableHost)
        policy.hostPolicies["B.example.org."] = nil
        policy.hostPolicies["a/b"] = SecurityPolicy()
        #expect(verdict(policy) == .unreadableHost)
    }

    @Test("libcurl verifies what the policy does not verify itself")
    func verification() {
        var policy = SecurityPolicy(pinningMode: .publicKey)
        #expect(policy.verification(for: "h") == .full)
        policy.validatesDomainName = false
        #expect(policy.verification(for: "h") == .chain)
        policy.allowsInvalidCertificates = true
        #expect(policy.verification(for: "h") == [])
        policy.hostPolicies = ["h": SecurityPolicy()]
        #expect(policy.verification(for: "H") == .full)
        #expect(policy.verification(for: "a%2Fb") == .full)
    }

    @Test("Each refusal has its own message, and the decision carries message and code")
    func texts() {
        let trust = ServerTrust(host: "h", port: 443, certificates: [], verifyResult: 0)
        let refusal = SecurityPolicy.Refusal.noCertificate
        #expect(SecurityPolicy().decide(trust) == .refuse(reason: refusal.description, code: refusal.code))
        let refusals: [SecurityPolicy.Refusal] = [
            .domainNeedsPins, .noPins, .noCertificate, .unreadableCertificate, .unreadableHost,
            .untrustedChain(verifyResult: 20), .expired, .notYetValid, .hostMismatch, .noHostNames, .notPinned,
            .pathNotVerifiable, .weakCryptography,
        ]
        #expect(Set(refusals.map(\.description)).count == refusals.count)
    }
}
