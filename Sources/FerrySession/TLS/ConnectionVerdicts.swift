/// What was decided about the connections of one engine, until they close.
///
/// libcurl shows a chain to the request that opened a connection and to no other, so the verdict is kept with the
/// connection's addresses.
final class ConnectionVerdicts: Sendable {
    struct Key: Hashable, Sendable {
        var remote: String
        var remotePort: Int
        var local: String
        var localPort: Int
    }

    struct Verdict: Sendable {
        var origin: Origin
        /// The revision of the session's trust that it was given under.
        var revision = 0
        var decision: TrustDecision
        var certificates: [Data]
        var subject: String?
    }

    private let verdicts = Mutex<[Key: Verdict]>([:])

    func remember(_ verdict: Verdict, for key: Key) {
        verdicts.withLock { $0[key] = verdict }
    }

    /// The verdict on a connection, if it was given for the same origin and under the same trust.
    func verdict(for key: Key, origin: Origin, revision: Int = 0) -> Verdict? {
        verdicts.withLock { verdicts in
            guard let verdict = verdicts[key], verdict.origin == origin, verdict.revision == revision else {
                return nil
            }
            return verdict
        }
    }

    /// Forgets connections from a local address: one of them is closed, and its port may come back with another.
    ///
    /// Where two connections to different servers have the same one, the other is looked at anew.
    func forget(local: String, port: Int) {
        verdicts.withLock { verdicts in
            let closed = verdicts.keys.filter { $0.local == local && $0.localPort == port }
            for key in closed { verdicts[key] = nil }
        }
    }

    var count: Int { verdicts.withLock { $0.count } }
}
