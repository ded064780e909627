extension URL {
    /// Whether it has the scheme `http` or `https` and a host.
    package var isWebAddress: Bool {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else { return false }
        return host(percentEncoded: true)?.isEmpty == false
    }

    /// The URL as errors, responses, metrics and logs may have it: without user and password.
    ///
    /// Query and fragment stay, since a program may need them to tell what failed; ``presentableText`` is for people.
    package var presentable: URL {
        let text = absoluteString
        // Nearly all URLs have no user information, and are taken as they are.
        guard text.hasByte(UInt8(ascii: "@")) else { return self }
        let safe = PresentableText.withoutUserInfo(text)
        if safe == text { return self }
        return URL(string: safe) ?? URL(string: "redacted:") ?? URL(fileURLWithPath: "/")
    }

    /// The host of the URL in the form of ``URLHost/name``, and where it has none the whole as text.
    package var presentableHost: String {
        guard let host = host(percentEncoded: true), !host.isEmpty else { return presentableText }
        return (try? URLHost(host))?.name ?? host
    }

    /// The URL as messages, logs and command lines have it: without user and password, and with ``SecretName/placeholder``
    /// for parameters such as `access_token`.
    package var presentableText: String { PresentableText.url(absoluteString) }
}
