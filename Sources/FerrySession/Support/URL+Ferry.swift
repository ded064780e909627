extension URL {
    /// Whether it has the scheme `http` or `https` and a host.
    package var isWebAddress: Bool {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else { return false }
        return host(percentEncoded: true)?.isEmpty == false
    }

    /// The URL without user and password.
    var withoutCredentials: URL { removing(user: true) }

    /// The URL without its password, for errors, metrics and logs.
    var withoutPassword: URL { removing(user: false) }

    private func removing(user: Bool) -> URL {
        guard self.user(percentEncoded: true) != nil || password(percentEncoded: true) != nil else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.percentEncodedPassword = nil
        if user { components?.percentEncodedUser = nil }
        return components?.url ?? self
    }
}
