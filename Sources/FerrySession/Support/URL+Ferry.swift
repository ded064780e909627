extension URL {
    /// Whether the URL has the scheme `http` or `https` and a host.
    package var isWebAddress: Bool {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else { return false }
        return host(percentEncoded: true)?.isEmpty == false
    }

    /// The URL for errors, responses, metrics and logs, without user and password.
    ///
    /// Query and fragment are kept, because a program may need them to identify what failed; ``presentableText`` is for
    /// people.
    package var presentable: URL {
        let text = absoluteString
        // Nearly all URLs have no user information and are returned unchanged.
        guard text.hasByte(UInt8(ascii: "@")) else { return self }
        let safe = PresentableText.withoutUserInfo(text)
        if safe == text { return self }
        return URL(string: safe) ?? URL(string: "redacted:") ?? URL(fileURLWithPath: "/")
    }

    /// The host of the URL in the form of ``URLHost/name``, or the whole URL as text if it has no host.
    package var presentableHost: String {
        guard let host = host(percentEncoded: true), !host.isEmpty else { return presentableText }
        return (try? URLHost(host))?.name ?? host
    }

    /// The text of the URL for messages, logs and command lines.
    ///
    /// It has no user and password, and ``SecretName/placeholder`` in place of parameters such as `access_token`.
    package var presentableText: String { PresentableText.url(absoluteString) }
}
