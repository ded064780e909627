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
        guard stored.port == space.port, let host = try? URLHost(stored.host), host == (try? URLHost(space.host)) else {
            return false
        }
        guard stored.isProxy() == space.isProxy() else { return false }
        if !space.isProxy(), stored.protocol?.lowercased() != space.protocol { return false }
        if let realm = stored.realm, realm != space.realm { return false }
        let method = stored.authenticationMethod
        return method == NSURLAuthenticationMethodDefault || method == space.authenticationMethod
    }
}
