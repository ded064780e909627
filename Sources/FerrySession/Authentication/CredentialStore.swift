/// Looks up the credential for a protection space in a configuration's credential storage.
///
/// FoundationNetworking's own lookup never finds anything, because it compares protection spaces by identity.
/// `@unchecked Sendable`: the storage is thread-safe.
struct CredentialStore: @unchecked Sendable {
    let storage: URLCredentialStorage

    /// Returns the default credential of the space, or else the first one in the order of the users' names.
    ///
    /// A space with the realm of the challenge has precedence over one without a realm, and then one with the method of
    /// the challenge over the default method.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        let matching = storage.allCredentials.filter { isSame($0.key, space) && !$0.value.isEmpty }
        let best = matching.min { rank($0.key, for: space) < rank($1.key, for: space) }
        guard let (stored, credentials) = best else { return nil }
        return storage.defaultCredential(for: stored) ?? credentials.min { $0.key < $1.key }?.value
    }

    /// The position of a space among those that match; smaller is better.
    private func rank(_ stored: URLProtectionSpace, for space: URLProtectionSpace) -> Int {
        (stored.realm == space.realm ? 0 : 2) + (stored.authenticationMethod == space.authenticationMethod ? 0 : 1)
    }

    private func isSame(_ stored: URLProtectionSpace, _ space: URLProtectionSpace) -> Bool {
        guard stored.port == space.port, let host = try? URLHost(stored.host), let other = try? URLHost(space.host),
            host.exactName == other.exactName,
            stored.isProxy() == space.isProxy(),
            space.isProxy() || stored.protocol?.lowercased() == space.protocol,
            stored.realm == nil || stored.realm == space.realm
        else { return false }
        return [NSURLAuthenticationMethodDefault, space.authenticationMethod].contains(stored.authenticationMethod)
    }
}

/// The place that a credential belongs to; it is never sent anywhere else.
enum CredentialPlace: Hashable, Sendable {
    case origin(Origin)
    /// A proxy, identified by its address.
    case proxy(String)
}

/// The requests that an accepted credential is for.
struct CredentialUse: Hashable, Sendable {
    var place: CredentialPlace
    /// The scheme and realm of a challenge; `nil` for a credential that is sent without a challenge.
    var option: AuthenticationChallenge.Option?
}
