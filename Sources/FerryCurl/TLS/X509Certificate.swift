internal import CFerry

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

    static func isReadable(_ der: Data) -> Bool { Self(der: der) != nil }

    /// Reads a certificate, or returns `nil` if it is not one.
    package init?(der: Data) {
        typealias Tag = DERReader.Tag
        var outer = DERReader(ArraySlice(der))
        guard var certificate = outer.enter(Tag.sequence), outer.isAtEnd,
            var fields = certificate.enter(Tag.sequence), certificate.next(Tag.sequence) != nil,
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

    /// Returns the content of the subject alternative name: empty without one, `nil` if the extensions are damaged.
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
        guard let first = fields.next().flatMap(Self.date), let last = fields.next().flatMap(Self.date),
            fields.isAtEnd
        else { return nil }
        return (first, last)
    }

    /// Returns the time in an element, or `nil` if it is not in one of the two forms of RFC 5280, section 4.1.2.5.
    private static func date(_ element: DERReader.Element) -> Date? {
        let yearDigits: Int
        switch element.tag {
        case DERReader.Tag.utcTime: yearDigits = 2
        case DERReader.Tag.generalizedTime: yearDigits = 4
        default: return nil
        }
        var digits = element.content.dropLast()
        guard element.content.count == yearDigits + 11, element.content.last == UInt8(ascii: "Z"),
            digits.allSatisfy(\.isDigit)
        else { return nil }
        func take(_ count: Int) -> Int {
            defer { digits = digits.dropFirst(count) }
            return digits.prefix(count).reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        }
        var year = take(yearDigits)
        if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
        let (month, day, clock) = (take(2), take(2), [take(2), take(2), take(2)])
        guard clock[0] < 24, clock[1] < 60, clock[2] < 60 else { return nil }
        // The calendar repeats after 400 years, or 146,097 days; `HTTPDate` does not count days before the year 1.
        let repeated = HTTPDate.date(year: year + 400, month: month, day: day, clock: clock)
        return repeated?.addingTimeInterval(-146_097 * 86_400)
    }
}

/// The rule for whether a certificate is valid for a host (RFC 9525, section 6).
package enum CertificateNameRule {
    /// Whether one of the names matches the host, as written in a URL; the common name is ignored.
    package static func matches(_ names: [X509Certificate.Name], host: String) -> Bool {
        guard let host = try? URLHost(host) else { return false }
        if host.kind != .name { return host.address.map { names.contains(.address($0)) } ?? false }
        return names.contains { name in
            guard case .dns(let pattern) = name else { return false }
            return matches(pattern: pattern, host: host.name)
        }
    }

    /// Whether a name, which may begin with a wildcard for exactly one label, matches a host (RFC 9525, section 6.3).
    ///
    /// What follows the wildcard must contain a dot, so that no certificate is valid for a whole top-level domain.
    private static func matches(pattern: String, host: String) -> Bool {
        var pattern = Substring(pattern)
        if pattern.hasSuffix(".") { pattern = pattern.dropLast() }
        guard pattern.contains("*") else { return pattern == host }
        guard pattern.hasPrefix("*."), let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
        let parent = pattern.dropFirst(2)
        return parent.contains(".") && !parent.contains("*") && !parent.hasPrefix(".")
            && parent == host[host.index(after: dot)...]
    }
}

/// Verifies with OpenSSL that a chain of certificates leads to a trusted one (RFC 5280, section 6.1).
///
/// Any server can send a trusted certificate, since certificates are public; only the signatures prove the connection.
package enum CertificatePath {
    package enum Verdict: Sendable, Hashable {
        case good
        /// One of OpenSSL's `X509_V_ERR_` numbers.
        case bad(Int)
        case unreadable
        /// OpenSSL is not available in the process.
        case unavailable
    }

    /// Verifies a chain, the server's own certificate first, up to one of the anchors.
    ///
    /// An anchor need not be a root. Without a date, the validity periods of the certificates are ignored. The keys and
    /// signatures must meet OpenSSL's security level, as in a handshake; the signature of an anchor does not count.
    package static func verify(_ chain: [Data], anchors: [Data], date: Date?, securityLevel: Int) -> Verdict {
        let all = chain + anchors
        guard !chain.isEmpty, !anchors.isEmpty, !all.contains(where: \.isEmpty) else { return .unreadable }
        guard let seconds = Int64(exactly: date?.timeIntervalSince1970.rounded(.down) ?? 0) else { return .unreadable }
        let bytes = all.reduce(into: [UInt8]()) { $0.append(contentsOf: $1) }
        let lengths = all.map(\.count)
        let (chainCount, level) = (chain.count, Int32(clamping: securityLevel))
        let verdict = ferry_path_verify(bytes, lengths, chainCount, anchors.count, date != nil, seconds, level)
        switch Int(verdict) {
        case FERRY_PATH_GOOD: return .good
        case FERRY_PATH_UNAVAILABLE: return .unavailable
        case 1...: return .bad(Int(verdict))
        default: return .unreadable
        }
    }

    /// Whether a certificate says that it is an authority's and, with `isSelfSigned`, is signed with its own key by a
    /// signature that meets OpenSSL's security level.
    package static func isAuthority(_ der: Data, isSelfSigned: Bool, securityLevel: Int) -> Bool {
        ferry_certificate_is_authority([UInt8](der), der.count, isSelfSigned, Int32(clamping: securityLevel))
    }
}
