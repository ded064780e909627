import Ferry
import FerrySession
import Foundation
import Testing

@Suite("Damaged certificates")
struct CertificateFuzzTests {
    /// The number of inputs to try: 2,000, or the value of `FERRY_FUZZ`.
    private static let count = ProcessInfo.processInfo.environment["FERRY_FUZZ"].flatMap { Int($0) } ?? 2_000

    @Test("No damaged certificate traps, and no changed one is accepted as pinned")
    func damaged() {
        var random = SeededGenerator(0x00C0_FFEE)
        let samples = [
            SampleChain.leaf, SampleChain.intermediate, SampleChain.root, SampleChain.selfSigned, SampleChain.short,
        ]
        let pins: Set = [SampleChain.leaf, SampleChain.root]
        let policies = [
            SecurityPolicy(pinningMode: .certificate, pinnedCertificates: pins, allowsInvalidCertificates: true),
            SecurityPolicy(pinningMode: .certificate, pinnedCertificates: pins, validatesDomainName: false),
        ]
        var readable = 0
        var accepted = 0
        for index in 0..<Self.count {
            let original = samples[index % samples.count]
            let damaged = Data(random.damage([UInt8](original)))
            if let certificate = X509Certificate(der: damaged) {
                readable += 1
                _ = certificate.names.map { CertificateNameRule.matches($0, host: "api.example.com") }
                _ = certificate.validity
            }
            // OpenSSL verifies the signatures of every eighth chain only.
            let chain = index % 8 == 0 ? [damaged, SampleChain.intermediate] : [damaged]
            let trust = ServerTrust(host: "api.example.com", port: 443, certificates: chain, verifyResult: 0)
            for policy in policies where damaged != original {
                if (try? policy.evaluate(trust, date: SampleChain.date)) != nil { accepted += 1 }
            }
        }
        #expect(readable > 0)
        #expect(accepted == 0)
    }
}
