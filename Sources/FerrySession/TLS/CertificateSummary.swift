/// What an error tells of a certificate: whose it is, who issued it, when it is good, and for which hosts.
struct CertificateSummary: Equatable {
    /// As OpenSSL writes names, such as `CN = localhost`.
    let subject: String
    let issuer: String
    let notBefore: String
    let notAfter: String
    /// The DNS names and addresses of its subjectAltName (RFC 5280, section 4.2.1.6).
    let hosts: [String]

    /// Reads a certificate (RFC 5280, section 4.1), or answers `nil` for what is none.
    init?(_ der: Data) {
        guard let fields = DERReader.certificate(der) else { return nil }
        var dates = DERReader(fields.validity)
        guard let from = dates.next().flatMap(Self.date), let until = dates.next().flatMap(Self.date) else {
            return nil
        }
        self.subject = Self.name(fields.subject)
        self.issuer = Self.name(fields.issuer)
        notBefore = from
        notAfter = until
        hosts = Self.hosts(fields.rest)
    }

    /// What to say of a chain where a connection failed for this reason; `nil` where it is not known.
    static func words(for reason: CurlSessionError.Code, _ chain: RefusedChains.Chain) -> String? {
        guard let own = (chain.certificates.first ?? chain.atFault).flatMap(Self.init) else { return nil }
        let fault = chain.atFault.flatMap(Self.init) ?? own
        let whose = fault == own ? "" : "\(fault.title) of its chain is "
        let details: String? =
            switch reason {
            case .certificateExpired, .certificateNotYetValid:
                "\(whose)valid from \(fault.notBefore) to \(fault.notAfter)"
            case .unknownAuthority, .selfSignedCertificate, .certificateUntrusted: "\(whose)issued by \(fault.issuer)"
            case .certificateHostMismatch: own.hosts.isEmpty ? nil : "for \(own.hosts.joined(separator: ", "))"
            default: nil
            }
        return "certificate: " + own.title + (details.map { ", \($0)" } ?? "")
    }

    /// A certificate may name nobody but its hosts.
    private var title: String { subject.isEmpty ? hosts.first ?? "without a name" : subject }

    // MARK: - Names, RFC 5280, section 4.1.2.4

    private static let attributes: [[UInt8]: String] = [
        [0x55, 4, 3]: "CN", [0x55, 4, 6]: "C", [0x55, 4, 7]: "L", [0x55, 4, 8]: "ST", [0x55, 4, 10]: "O",
        [0x55, 4, 11]: "OU", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]: "emailAddress",
    ]

    private static func name(_ content: ArraySlice<UInt8>) -> String {
        let (set, sequence, identifier): (UInt8, UInt8, UInt8) = (0x31, 0x30, 0x06)
        var sets = DERReader(content)
        var parts: [String] = []
        while let entry = sets.next(set) {
            var values = DERReader(entry.content)
            while let value = values.next(sequence) {
                var pair = DERReader(value.content)
                guard let type = pair.next(identifier), let text = pair.next().flatMap(text) else { continue }
                if let name = attributes[Array(type.content)] { parts.append("\(name) = \(text)") }
            }
        }
        return parts.joined(separator: ", ")
    }

    /// A string without what could end a line or hide in it; whoever made the certificate has chosen it.
    private static func text(_ element: DERReader.Element) -> String? {
        let decoded: String
        switch element.tag {
        case 0x0C: decoded = String(decoding: element.content, as: UTF8.self)
        case 0x12, 0x13, 0x14, 0x16: decoded = latin1(element.content)
        case 0x1E:
            let bytes = Array(element.content)
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            decoded = String(decoding: units, as: UTF16.self)
        default: return nil
        }
        return safe(decoded)
    }

    private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func safe(_ text: String) -> String {
        let longest = 200
        let scalars = text.unicodeScalars.prefix(longest).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: "?"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    // MARK: - Dates, RFC 5280, section 4.1.2.5

    private static func date(_ element: DERReader.Element) -> String? {
        let (utc, generalized): (UInt8, UInt8) = (0x17, 0x18)
        var digits = latin1(element.content)
        guard digits.hasSuffix("Z"), element.tag == utc || element.tag == generalized else { return nil }
        digits.removeLast()
        if element.tag == utc { digits = (digits < "50" ? "20" : "19") + digits }
        let length = 14
        guard digits.utf8.count == length, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        func part(_ start: Int, _ count: Int) -> String { String(digits.dropFirst(start).prefix(count)) }
        return "\(part(0, 4))-\(part(4, 2))-\(part(6, 2)) \(part(8, 2)):\(part(10, 2)):\(part(12, 2)) UTC"
    }

    // MARK: - Hosts

    /// Reads the extensions, behind the key.
    private static func hosts(_ rest: DERReader) -> [String] {
        var fields = rest
        let (extensions, sequence, identifier, octets): (UInt8, UInt8, UInt8, UInt8) = (0xA3, 0x30, 0x06, 0x04)
        while let field = fields.next() {
            guard field.tag == extensions else { continue }
            var wrapper = DERReader(field.content)
            guard let list = wrapper.next(sequence) else { return [] }
            var entries = DERReader(list.content)
            while let entry = entries.next(sequence) {
                var parts = DERReader(entry.content)
                guard let type = parts.next(identifier), Array(type.content) == [0x55, 0x1D, 17] else { continue }
                // The extension may say before that it is critical.
                while let part = parts.next() {
                    if part.tag == octets { return names(part.content) }
                }
            }
        }
        return []
    }

    private static func names(_ content: ArraySlice<UInt8>) -> [String] {
        var outer = DERReader(content)
        guard let list = outer.next(0x30) else { return [] }
        var entries = DERReader(list.content)
        var result: [String] = []
        let most = 8
        while let entry = entries.next(), result.count < most {
            switch (entry.tag, entry.content.count) {
            case (0x82, _): result.append(safe(latin1(entry.content)))
            case (0x87, 4), (0x87, 16):
                if let address = IPAddress(entry.content)?.description { result.append(address) }
            default: break
            }
        }
        return result
    }
}
