/// A request as it goes to libcurl, with everything checked that could break the message.
package struct PreparedRequest: Sendable {
    package let url: String
    package let origin: Origin
    package let method: String
    package var fields: [RequestField] = []
    /// The number of fields at the end of ``fields`` that are not the request's own.
    package var commonCount = 0
    package var proxyFields: [RequestField] = []
    /// The length that the request announces for its body, if it does.
    package var announcedLength: Int64?
    /// Whether a body is sent, even an empty one.
    package var hasBody = false
    /// Whether the body is a stream, which can be read once.
    package var isStreamed = false
    /// Whether the server is asked to switch protocols, so that what follows a 101 is not HTTP.
    package var isUpgrade = false
    /// Whether a redirect from another origin has led here.
    package var hasLeftOrigin = false
    /// Whether the request has only fields that every request has, which mean nothing to a cache.
    package var isPlain = false
    /// Whether the request's fields may affect caching.
    package var mentionsCaching = false
    package var expectsContinue = false
    /// Whether the request asks to close its connection (RFC 9112, section 9.6).
    package var endsConnection = false
    package var hasUserInfo = false
    /// Whether the fields have credentials, or what the session's options call sensitive.
    package var hasSecrets = false

    package init(url: String, origin: Origin, method: String) {
        (self.url, self.origin, self.method) = (url, origin, method)
    }
}
