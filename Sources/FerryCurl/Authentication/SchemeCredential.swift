/// A user and a password, with the scheme for which they were provided.
package struct SchemeCredential: Hashable, Sendable {
    package var scheme: AuthenticationScheme
    package var user: String
    package var password: String

    package init(scheme: AuthenticationScheme, user: String, password: String) {
        (self.scheme, self.user, self.password) = (scheme, user, password)
    }

    package var text: String { "\(scheme) \(user):\(password)" }

    // Servers compare bytes: two passwords that Swift considers equal may differ for them.
    package static func == (first: Self, second: Self) -> Bool {
        first.scheme == second.scheme && first.user.utf8.elementsEqual(second.user.utf8)
            && first.password.utf8.elementsEqual(second.password.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for text in [user, password] { hasher.combine(text.utf8.count) }
    }

    /// Whether libcurl can send a user and a password: it copies the user into a header field unchanged, and both end
    /// at a null byte.
    package static func isValid(user: String, password: String) -> Bool {
        user.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && !password.utf8.contains(0)
    }
}

/// The credentials of a request for the server and for the proxy.
///
/// It is no tuple, because Swift takes several times as long to copy a tuple of optionals.
package struct CredentialPair: Sendable {
    package var server: SchemeCredential?
    package var proxy: SchemeCredential?

    package init(server: SchemeCredential? = nil, proxy: SchemeCredential? = nil) {
        (self.server, self.proxy) = (server, proxy)
    }
}
