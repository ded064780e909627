/// Walks through DER (X.690), as far as it takes to find the public key of a certificate.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    struct Element {
        var tag: UInt8
        /// With tag and length.
        var whole: ArraySlice<UInt8>
        var content: ArraySlice<UInt8>
    }

    /// Takes one element, or answers `nil` where there is none that is whole.
    mutating func next() -> Element? {
        let start = rest
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Element(tag: tag, whole: start.prefix(start.count - rest.count), content: content)
    }

    mutating func next(_ tag: UInt8) -> Element? {
        guard let element = next(), element.tag == tag else { return nil }
        return element
    }

    private static let sequence: UInt8 = 0x30

    /// The SubjectPublicKeyInfo of a certificate (RFC 5280, section 4.1), or `nil` for what is none.
    static func publicKeyInfo(ofCertificate der: Data) -> Data? {
        var outer = DERReader(ArraySlice(der))
        guard let certificate = outer.next(sequence), outer.isAtEnd else { return nil }
        var inner = DERReader(certificate.content)
        guard let signed = inner.next(sequence) else { return nil }
        var fields = DERReader(signed.content)
        let (version, integer): (UInt8, UInt8) = (0xA0, 0x02)
        guard let first = fields.next() else { return nil }
        // The version is left out where it is 1.
        if first.tag == version { guard fields.next(integer) != nil else { return nil } }
        guard first.tag == version || first.tag == integer else { return nil }
        // The signature's algorithm, issuer, validity and subject stand before the key.
        for _ in 0..<4 { guard fields.next(sequence) != nil else { return nil } }
        return fields.next(sequence).map { Data($0.whole) }
    }

    static func isCertificate(_ der: Data) -> Bool {
        publicKeyInfo(ofCertificate: der) != nil
    }
}
