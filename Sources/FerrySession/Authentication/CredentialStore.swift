/// Looks up the credential for a protection space in a configuration's credential storage.
///
/// FoundationNetworking's own lookup never finds anything, because it compares protection spaces by identity.
/// `@unchecked Sendable`: the storage is thread-safe.
struct CredentialStore: @unchecked Sendable {
    let storage: URLCredentialStorage

    func credential(for space: URLProtectionSpace) -> URLCredential? {
        for (stored, credentials) in storage.allCredentials where isSame(stored, space) {
            if let credential = credentials.sorted(by: { $0.key < $1.key }).first?.value { return credential }
        }
        return nil
    }

    private func isSame(_ stored: URLProtectionSpace, _ space: URLProtectionSpace) -> Bool {
        guard stored.port == space.port, let host = try? URLHost(stored.host), host == (try? URLHost(space.host)),
            stored.isProxy() == space.isProxy(),
            space.isProxy() || stored.protocol?.lowercased() == space.protocol,
            stored.realm == nil || stored.realm == space.realm
        else { return false }
        return [NSURLAuthenticationMethodDefault, space.authenticationMethod].contains(stored.authenticationMethod)
    }
}

/// A user and a password, with the scheme for which they were provided.
struct SchemeCredential: Hashable, Sendable {
    var scheme: AuthenticationScheme
    var user: String
    var password: String
}

/// Where a credential belongs; it is never sent anywhere else.
enum CredentialPlace: Hashable, Sendable {
    case origin(Origin)
    /// A proxy, identified by its address.
    case proxy(String)
}
