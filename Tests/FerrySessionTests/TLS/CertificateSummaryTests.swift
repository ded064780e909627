import Foundation
import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite("Certificate summaries")
struct CertificateSummaryTests {
    @Test("A certificate is described by its names, dates and hosts")
    func reads() throws {
        let summary = try #require(CertificateSummary(Certificates.der))
        #expect(summary.subject == "CN = localhost")
        #expect(summary.issuer == "CN = localhost")
        #expect(summary.validity == "2026-11-21 01:59:12 UTC to 2026-11-23 01:59:12 UTC")
        #expect(summary.hosts == ["localhost"])
    }

    @Test(
        "The description depends on the reason",
        arguments: [
            (
                CurlSessionError.Code.certificateExpired,
                "certificate: CN = localhost, valid from 2026-11-21 01:59:12 UTC to 2026-11-23 01:59:12 UTC"
            ),
            (.selfSignedCertificate, "certificate: CN = localhost, issued by CN = localhost"),
            (.certificateHostMismatch, "certificate: CN = localhost, for localhost"),
            (.pinMismatch, "certificate: CN = localhost"),
        ]
    )
    func words(_ reason: CurlSessionError.Code, _ words: String) {
        let chain = RefusedChains.Chain(certificates: [Certificates.der])
        #expect(CertificateSummary.words(for: reason, chain) == words)
        #expect(CertificateSummary.words(for: reason, RefusedChains.Chain(atFault: Certificates.der)) == words)
        #expect(CertificateSummary.words(for: reason, RefusedChains.Chain()) == nil)
    }

    @Test("Another certificate of the chain is named if it was the one refused")
    func atFault() throws {
        // The same certificate with another name of the same length.
        let name = Data("localhost".utf8)
        var other = Certificates.der
        while let range = other.range(of: name) { other.replaceSubrange(range, with: Data("authority".utf8)) }
        let chain = RefusedChains.Chain(certificates: [Certificates.der, other], atFault: other)
        #expect(
            CertificateSummary.words(for: .unknownAuthority, chain)
                == "certificate: CN = localhost, CN = authority of its chain is issued by CN = authority"
        )
    }

    @Test("Truncated and changed certificates never trap or cause control characters")
    func damaged() {
        let der = Certificates.der
        for count in 0..<der.count { #expect(CertificateSummary(der.prefix(count)) == nil) }
        for index in der.indices {
            for value in [0, 0x0A, 0x1E, 0x30, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                var changed = der
                changed[index] = value
                guard let summary = CertificateSummary(changed) else { continue }
                let text = summary.subject + summary.issuer + summary.hosts.joined()
                #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
            }
        }
    }

    @Test("Refused chains can be read once, and are bounded")
    func chains() {
        let chains = RefusedChains()
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 1)
        defer { bytes.deallocate() }
        guard let first = bytes.baseAddress else { return }
        let second = first + 1
        for index in 0..<40 { chains.note(Data([UInt8(index)]), isAtFault: false, for: first) }
        chains.note(Data([7]), isAtFault: true, for: first)
        chains.note(Data([8]), isAtFault: true, for: second)
        let taken = chains.take(first)
        #expect(taken.certificates.count == 16)
        #expect(taken.certificates.first == Data([0]))
        #expect(taken.atFault == Data([7]))
        #expect(chains.take(first) == RefusedChains.Chain())
        chains.forget(second)
        #expect(chains.take(second) == RefusedChains.Chain())
    }
}
