/// The requests that may carry a credential.
package struct CredentialScope: Sendable {
    /// The origins that may receive the credential; `nil` for the origin of the task's original URL.
    private let origins: Set<Origin>?

    /// Creates the scope of URLs' origins; `nil` for the origin of each task's original URL.
    package init(_ urls: [URL]?) { origins = urls.map { Set($0.map(Origin.init)) } }

    /// Returns whether a request to a URL may carry the credential.
    ///
    /// Another interceptor may have changed the URL, so the origin of the request itself decides.
    package func includes(_ url: URL?, in attempt: RequestAttempt) -> Bool {
        guard !attempt.hasLeftOrigin, let url else { return false }
        if let origins { return origins.contains(Origin(url)) }
        guard let original = attempt.originalURL else { return false }
        // The URLs are usually equal, and then need not be parsed.
        return url == original || Origin(url) == Origin(original)
    }
}
