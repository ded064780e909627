/// The origins that have announced HTTP/3 on their own host and port (RFC 7838), as a pure value.
///
/// Other alternatives are not used, which the RFC leaves to the client. So the certificate is verified as always, and
/// libcurl uses TCP if no QUIC connection can be established.
package struct AnnouncedHTTP3 {
    private struct Entry {
        var expires: MonotonicTime
        /// Until when HTTP/3 is not tried, after it did not work.
        var avoidedUntil: MonotonicTime?
    }

    /// The maximum number of origins; a new one replaces the one whose entry ends first.
    package static let maximumCount = 1_000
    /// The time for which HTTP/3 is not tried after it did not work.
    package static let avoidance = TimeSpan(seconds: 300)
    private static let maximumAge = 31_536_000

    private var entries: [Origin: Entry] = [:]

    package init() {}

    package var count: Int { entries.count }

    /// Whether requests to an origin are sent with HTTP/3.
    package func contains(_ origin: Origin, at now: MonotonicTime) -> Bool {
        guard let entry = entries[origin], entry.expires > now else { return false }
        return entry.avoidedUntil.map { $0 <= now } ?? true
    }

    /// Notes the field of a response, which replaces that of an earlier one.
    package mutating func note(_ head: ResponseHead, of origin: Origin, at now: MonotonicTime) {
        guard let text = head.listValue("Alt-Svc"), let field = AlternativeServices(text) else { return }
        let service = field.services.first { service in
            service.protocolID == "h3" && service.port == origin.port
                && (service.host.isEmpty || (try? URLHost(service.host))?.name == origin.host)
        }
        let spent = head.value("Age").flatMap { DeltaSeconds.read($0) } ?? 0
        let left = (service.map { min($0.maximumAge, Self.maximumAge) } ?? 0) - min(spent, Self.maximumAge)
        guard left > 0 else {
            entries[origin] = nil
            return
        }
        makeRoom(for: origin, at: now)
        let expires = now.advanced(by: TimeSpan(seconds: Double(left)))
        entries[origin] = Entry(expires: expires, avoidedUntil: entries[origin]?.avoidedUntil)
    }

    /// Notes that HTTP/3 did not work.
    package mutating func noteFailure(of origin: Origin, at now: MonotonicTime) {
        entries[origin]?.avoidedUntil = now.advanced(by: Self.avoidance)
    }

    private mutating func makeRoom(for origin: Origin, at now: MonotonicTime) {
        guard entries.count >= Self.maximumCount, entries[origin] == nil,
            let first = entries.min(by: { $0.value.expires < $1.value.expires })
        else { return }
        entries[first.key] = nil
    }
}
