import FuzzSupport

@testable import FerryCurl
@testable import FerrySession

/// PEM text.
let pem = FuzzTarget("pem") { input in
    let bytes = Data(input.amplified(to: 300_000))
    guard let blocks = try? bounded({ try PEM.blocks(in: bytes, what: "The file") }) else { return }
    for block in blocks {
        expect(!block.content.isEmpty, "an empty block")
        let again = try? PEM.blocks(in: Data(PEM.text(certificate: block.content).utf8), what: "The file")
        expect(again?.first?.content == block.content && again?.count == 1, "different contents")
    }
}

/// DER certificates.
let certificate = FuzzTarget("certificate") { input in
    let bytes = input.amplified(to: 200_000)
    bounded { walk(DERReader(bytes[...]), depth: 0) }
    bounded { walk(DERReader(bytes[...], allowsLongLengths: true), depth: 0) }
    let der = Data(bytes)
    guard let certificate = bounded({ X509Certificate(der: der) }) else { return }
    expect(der.range(of: certificate.publicKeyInfo) != nil, "a key that is not in the certificate")
    if let names = bounded({ certificate.names }) {
        _ = bounded { CertificateNameRule.matches(names, host: "www.a.test") }
        _ = bounded { CertificateNameRule.matches(names, host: "127.0.0.1") }
        for case .dns(let name) in names {
            expect(name.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "the host \(name.debugDescription)")
        }
    }
    if let (first, last) = certificate.validity {
        expect(first.timeIntervalSince1970.isFinite && last.timeIntervalSince1970.isFinite, "impossible dates")
    }
    guard let summary = bounded({ CertificateSummary(der) }) else { fail("a certificate without a summary") }
    for text in [summary.subject, summary.issuer] + summary.hosts {
        expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, text.debugDescription)
    }
    _ = bounded { CertificatePath.verify([der], anchors: [der], date: nil, securityLevel: 2) }
}

/// Visits all elements: each is inside its parent, and none is empty.
private func walk(_ reader: DERReader, depth: Int) {
    var reader = reader
    while let element = reader.next() {
        expect(element.whole.count >= element.content.count + 2, "an element of \(element.whole.count) bytes")
        if element.tag & 0x20 != 0, depth < 20 { walk(DERReader(element.content), depth: depth + 1) }
    }
}
