/// Walks through DER (X.690), as far as it takes to find what a certificate says.
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

    /// What a certificate is about (RFC 5280, section 4.1), from its issuer on.
    struct CertificateFields {
        var issuer: ArraySlice<UInt8>
        var validity: ArraySlice<UInt8>
        var subject: ArraySlice<UInt8>
        var publicKeyInfo: Data
        /// The extensions, and what may stand before them.
        var rest: DERReader
    }

    /// Reads a certificate, or answers `nil` for what is none.
    static func certificate(_ der: Data) -> CertificateFields? {
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
        // The signature's algorithm comes first.
        guard fields.next(sequence) != nil, let issuer = fields.next(sequence), let validity = fields.next(sequence),
            let subject = fields.next(sequence), let key = fields.next(sequence)
        else { return nil }
        return CertificateFields(
            issuer: issuer.content,
            validity: validity.content,
            subject: subject.content,
            publicKeyInfo: Data(key.whole),
            rest: fields
        )
    }

    /// The SubjectPublicKeyInfo of a certificate, or `nil` for what is none.
    static func publicKeyInfo(ofCertificate der: Data) -> Data? {
        certificate(der)?.publicKeyInfo
    }

    static func isCertificate(_ der: Data) -> Bool {
        publicKeyInfo(ofCertificate: der) != nil
    }
}
