/// A request without a body, as a journal keeps it.
package struct KeptRequest: Codable, Sendable, Hashable {
    package var url: URL
    var method: String
    /// Names and values of header fields.
    package var fields: [String: String]
    var timeout: Double
    /// `false` if the request neither sends nor stores cookies.
    var handlesCookies: Bool?

    /// Describes a request; without `keepsSecrets`, secret header fields and the URL's user are left out.
    ///
    /// The result is `nil` if the URL is not one of the web, or cannot be kept without its user.
    package init?(_ request: URLRequest, keepsSecrets: Bool) {
        guard let url = request.url, url.isWebAddress,
            let kept = keepsSecrets ? url : URL(string: PresentableText.withoutUserInfo(url.absoluteString))
        else { return nil }
        self.url = kept
        method = request.httpMethod ?? "GET"
        fields = (request.allHTTPHeaderFields ?? [:]).filter { keepsSecrets || !SecretName.isSecret($0.key) }
        timeout = request.timeoutInterval.asKept
        if !request.httpShouldHandleCookies { handlesCookies = false }
    }

    package var value: URLRequest {
        var request = URLRequest(url: url, timeoutInterval: timeout.asRestored)
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        request.httpShouldHandleCookies = handlesCookies ?? true
        return request
    }
}
