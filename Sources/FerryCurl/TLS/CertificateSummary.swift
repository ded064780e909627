/// A description of a certificate for errors: its subject, issuer, validity and hosts.
package struct CertificateSummary: Equatable {
    /// The subject in OpenSSL's notation, such as `CN = localhost`.
    package let subject: String
    package let issuer: String
    /// The first and the last moment of validity; `nil` if they cannot be read.
    package let validity: String?
    /// The DNS names and addresses of the subjectAltName (RFC 5280, section 4.2.1.6).
    package let hosts: [String]

    /// Reads a certificate (RFC 5280, section 4.1), or returns `nil` if it is not one.
    package init?(_ der: Data) {
        guard let certificate = X509Certificate(der: der) else { return nil }
        subject = Self.name(certificate.subject)
        issuer = Self.name(certificate.issuer)
        validity = certificate.validity.map { "\(Self.date($0.notBefore)) to \(Self.date($0.notAfter))" }
        hosts = (certificate.names ?? []).prefix(8).compactMap { name in
            switch name {
            case .dns(let host): Self.safe(host)
            case .address(let bytes): IPAddress(ArraySlice(bytes))?.description
            }
        }
    }

    /// Returns the text to add to an error with this reason, or `nil` if the chain is unknown.
    package static func words(for reason: CurlSessionError.Code, _ chain: RefusedChains.Chain) -> String? {
        guard let own = (chain.certificates.first ?? chain.atFault).flatMap(Self.init) else { return nil }
        let fault = chain.atFault.flatMap(Self.init) ?? own
        let whose = fault == own ? "" : "\(fault.title) of its chain is "
        let details: String? =
            switch reason {
            case .certificateExpired, .certificateNotYetValid: fault.validity.map { "\(whose)valid from \($0)" }
            case .unknownAuthority, .selfSignedCertificate, .certificateUntrusted: "\(whose)issued by \(fault.issuer)"
            case .certificateHostMismatch where own.hosts.isEmpty:
                "which names no host: a common name does not count (RFC 9525)"
            case .certificateHostMismatch: "for \(own.hosts.joined(separator: ", "))"
            default: nil
            }
        return "certificate: " + own.title + (details.map { ", \($0)" } ?? "")
    }

    /// The subject, or the first host of a certificate without a subject.
    private var title: String { subject.isEmpty ? hosts.first ?? "without a name" : subject }

    /// The types of a name's attributes (RFC 5280, section 4.1.2.4).
    private static let attributes: [[UInt8]: String] = [
        [0x55, 4, 3]: "CN", [0x55, 4, 6]: "C", [0x55, 4, 7]: "L", [0x55, 4, 8]: "ST", [0x55, 4, 10]: "O",
        [0x55, 4, 11]: "OU", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]: "emailAddress",
    ]

    private static func name(_ der: Data) -> String {
        var outer = DERReader(ArraySlice(der))
        var parts: [String] = []
        guard var sets = outer.enter(DERReader.Tag.sequence) else { return "" }
        while parts.count < 16, var values = sets.enter(DERReader.Tag.set) {
            while var pair = values.enter(DERReader.Tag.sequence) {
                guard let type = pair.next(DERReader.Tag.identifier), let text = pair.next().flatMap(text) else {
                    continue
                }
                if let name = attributes[Array(type.content)] { parts.append("\(name) = \(text)") }
            }
        }
        return parts.joined(separator: ", ")
    }

    /// Returns a string without characters that could end or hide a line, since the certificate's author has chosen it.
    private static func text(_ element: DERReader.Element) -> String? {
        let decoded: String
        switch element.tag {
        case 0x0C: decoded = String(decoding: element.content, as: UTF8.self)
        case 0x12, 0x13, 0x14, 0x16: decoded = String(latin1: element.content)
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

    private static func safe(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(200).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: "?"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func date(_ date: Date) -> String {
        date.formatted(.iso8601.dateTimeSeparator(.space)).replacingOccurrences(of: "Z", with: " UTC")
    }
}

/// The chains that OpenSSL has refused, each kept until the attempt it belongs to has read it.
///
/// The address of a handle is used only as a key: a connection may outlive the handle that opened it.
package final class RefusedChains: Sendable {
    package struct Chain: Sendable, Equatable {
        /// The certificates as the server presented them, its own first.
        package var certificates: [Data] = []
        /// The certificate that was refused.
        package var atFault: Data?

        package var isEmpty: Bool { certificates.isEmpty && atFault == nil }
    }

    private let chains = Mutex<[Int: Chain]>([:])
    private let resolver = Mutex<(certificate: Data, time: Date)?>(nil)

    /// Notes a certificate of a refused chain.
    ///
    /// Without a handle, it is of a resolver over HTTPS, of which only the certificate is kept that was refused last.
    package func note(_ certificate: Data, isAtFault: Bool, for easy: UnsafeMutableRawPointer?) {
        guard let easy else {
            if isAtFault { resolver.withLock { $0 = (certificate, Date.current) } }
            return
        }
        let key = Int(bitPattern: easy)
        chains.withLock { chains in
            if isAtFault {
                chains[key, default: Chain()].atFault = certificate
            } else if chains[key, default: Chain()].certificates.count < 16 {
                // A server may send any number of certificates.
                chains[key, default: Chain()].certificates.append(certificate)
            }
        }
    }

    /// Returns the subject of the certificate of a resolver that was refused since a time.
    func refusedResolver(since start: Date) -> String? {
        guard let last = resolver.withLock({ $0 }), last.time >= start else { return nil }
        return CertificateSummary(last.certificate)?.subject ?? "unreadable"
    }

    package func take(_ easy: UnsafeMutableRawPointer) -> Chain {
        chains.withLock { $0.removeValue(forKey: Int(bitPattern: easy)) ?? Chain() }
    }

    package func forget(_ easy: UnsafeMutableRawPointer) { chains.withLock { $0[Int(bitPattern: easy)] = nil } }
}
