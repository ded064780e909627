/// The credentials that servers and proxies have accepted in a session, for each place and for each of its realms.
///
/// The last credential that a place has accepted is sent there without a challenge.
struct AcceptedCredentials {
    private static let maximumCount = 1_024

    private var known: [CredentialUse: SchemeCredential]
    /// The number of times that all credentials were forgotten.
    private(set) var generation = 0

    init(_ known: [CredentialUse: SchemeCredential] = [:]) { self.known = known }

    var isEmpty: Bool { known.isEmpty }

    subscript(use: CredentialUse) -> SchemeCredential? { known[use] }

    mutating func forgetAll() { (known, generation) = ([:], generation + 1) }

    /// Keeps a credential that was accepted, unless all were forgotten meanwhile.
    mutating func keep(_ party: Credentials.Party) {
        guard party.generation == generation, let place = party.place, let credential = party.credential else { return }
        for use in [CredentialUse(place: place), CredentialUse(place: place, option: party.option)] {
            // The credentials that are forgotten here are provided again at the next challenge.
            if known[use] == nil, known.count >= Self.maximumCount { known = [:] }
            known[use] = credential
        }
    }

    /// Forgets a credential that was refused, unless another one was accepted in the meantime.
    mutating func forget(_ credential: SchemeCredential, for use: CredentialUse) {
        if known[use] == credential { known[use] = nil }
    }
}
