/// A certificate (RFC 5280, section 4.1), limited to the fields needed for pins, names and validity.
///
/// Its signature is not checked; ``CertificatePath`` does that.
package struct X509Certificate: Sendable, Hashable {
    /// The public key and its algorithm: the SubjectPublicKeyInfo in DER.
    package let publicKeyInfo: Data

    /// The issuer's name, in DER.
    package let issuer: Data

    /// The subject's name, in DER.
    package let subject: Data

    private let validityField: Data
    private let alternativeNames: Data?

    /// Reads a certificate, or returns `nil` if it is not one.
    package init?(der: Data) {
        typealias Tag = DERReader.Tag
        var outer = DERReader(ArraySlice(der))
        guard var certificate = outer.enter(Tag.sequence), outer.isAtEnd else { return nil }
        guard var fields = certificate.enter(Tag.sequence), certificate.next(Tag.sequence) != nil,
            certificate.next(Tag.bitString) != nil, certificate.isAtEnd
        else { return nil }
        // The version is omitted if it is 1.
        if let version = fields.next(Tag.context(0, isConstructed: true)) {
            var number = DERReader(version.content)
            guard number.next(Tag.integer) != nil, number.isAtEnd else { return nil }
        }
        guard fields.next(Tag.integer) != nil, fields.next(Tag.sequence) != nil,
            let issuer = fields.next(Tag.sequence), let validity = fields.next(Tag.sequence),
            let subject = fields.next(Tag.sequence), let key = fields.next(Tag.sequence)
        else { return nil }
        // The unique identifiers of issuer and subject, which are not needed.
        for number in [1, 2] as [UInt8] { _ = fields.next(Tag.context(number, isConstructed: false)) }
        var names: Data?
        if var wrapped = fields.enter(Tag.context(3, isConstructed: true)) {
            guard let extensions = wrapped.enter(Tag.sequence), wrapped.isAtEnd,
                let found = Self.alternativeNames(in: extensions)
            else { return nil }
            names = found.isEmpty ? nil : found
        }
        guard fields.isAtEnd else { return nil }
        self.issuer = Data(issuer.whole)
        self.subject = Data(subject.whole)
        publicKeyInfo = Data(key.whole)
        validityField = Data(validity.content)
        alternativeNames = names
    }

    /// Returns the content of the subject alternative name; empty if there is none, `nil` if the extensions are
    /// damaged.
    private static func alternativeNames(in extensions: DERReader) -> Data? {
        typealias Tag = DERReader.Tag
        let subjectAlternativeName: [UInt8] = [0x55, 0x1D, 0x11]
        var extensions = extensions
        var seen: Set<[UInt8]> = []
        var names = Data()
        while !extensions.isAtEnd {
            guard var fields = extensions.enter(Tag.sequence), let identifier = fields.next(Tag.identifier) else {
                return nil
            }
            _ = fields.next(Tag.boolean)
            guard let value = fields.next(Tag.octetString), fields.isAtEnd else { return nil }
            // An extension must not occur twice (RFC 5280, section 4.2): readers would disagree about which one counts.
            guard seen.insert(Array(identifier.content)).inserted else { return nil }
            if identifier.content.elementsEqual(subjectAlternativeName) { names = Data(value.content) }
        }
        return names
    }

    /// A host name or address that a certificate is valid for.
    package enum Name: Sendable, Hashable {
        case dns(String)
        /// Four or sixteen bytes.
        case address(Data)
    }

    /// The hosts and addresses of the subject alternative name; `nil` if it is damaged, empty if there is none.
    package var names: [Name]? {
        guard let alternativeNames else { return [] }
        var outer = DERReader(ArraySlice(alternativeNames))
        guard var list = outer.enter(DERReader.Tag.sequence), outer.isAtEnd else { return nil }
        var names: [Name] = []
        while !list.isAtEnd {
            guard let element = list.next() else { return nil }
            switch element.tag {
            case DERReader.Tag.context(2, isConstructed: false):
                // A name with a null byte or another byte outside printable ASCII cannot match any host.
                guard element.content.allSatisfy({ (0x21...0x7E).contains($0) }) else { continue }
                names.append(.dns(String(decoding: element.content, as: UTF8.self).lowercased()))
            case DERReader.Tag.context(7, isConstructed: false):
                guard [4, 16].contains(element.content.count) else { return nil }
                names.append(.address(Data(element.content)))
            default: continue
            }
        }
        return names
    }

    /// The first and the last moment of validity, or `nil` if they cannot be read.
    package var validity: (notBefore: Date, notAfter: Date)? {
        var fields = DERReader(ArraySlice(validityField))
        guard let first = fields.next().flatMap(X509Time.date), let last = fields.next().flatMap(X509Time.date),
            fields.isAtEnd
        else { return nil }
        return (first, last)
    }
}
