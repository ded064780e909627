internal import CFerry

/// Verifies with OpenSSL that a chain of certificates leads to a trusted one (RFC 5280, section 6.1).
///
/// That a chain contains a trusted certificate proves nothing: certificates are public, and any server can send them.
/// Only the signatures prove it.
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
    /// An anchor need not be a root. Without a date, the validity periods of the certificates are ignored.
    package static func verify(_ chain: [Data], anchors: [Data], date: Date?) -> Verdict {
        let all = chain + anchors
        guard !chain.isEmpty, !anchors.isEmpty, !all.contains(where: \.isEmpty) else { return .unreadable }
        var seconds: Int64 = 0
        if let date {
            guard let exact = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else { return .unreadable }
            seconds = exact
        }
        let bytes = all.reduce(into: [UInt8]()) { $0.append(contentsOf: $1) }
        let verdict = ferry_path_verify(bytes, all.map(\.count), chain.count, anchors.count, date != nil, seconds)
        switch Int(verdict) {
        case FERRY_PATH_GOOD: return .good
        case FERRY_PATH_UNAVAILABLE: return .unavailable
        case 1...: return .bad(Int(verdict))
        default: return .unreadable
        }
    }
}
