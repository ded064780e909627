/// A request as it goes to libcurl, with everything checked that could break the message.
package struct PreparedRequest: Sendable {
    package let url: String
    package let origin: Origin
    package let method: String
    package let fields: [RequestField]
    /// The number of fields at the end of ``fields`` that are not of the request's own fields.
    package let commonCount: Int
    package let proxyFields: [RequestField]
    /// The length the request announces for its body, where it does.
    package let announcedLength: Int64?
    /// Whether a body is sent, even an empty one.
    package let hasBody: Bool
    /// Whether the body is a stream, which can be read once.
    package let isStreamed: Bool
    /// Whether the server is asked to switch protocols, so that what follows a 101 is not HTTP.
    package let isUpgrade: Bool
    /// Whether a redirect from another origin has led here.
    package let hasLeftOrigin: Bool
    /// Whether the fields are those of every request, which mean nothing to a cache.
    package let isPlain: Bool
    /// Whether the request's fields may have something to say about caching.
    package let mentionsCaching: Bool
    package let expectsContinue: Bool
    package let hasUserInfo: Bool
    /// Whether the fields have credentials, or what the session's options call sensitive.
    package let hasSecrets: Bool

    package init(
        url: String,
        origin: Origin,
        method: String,
        fields: [RequestField],
        commonCount: Int,
        proxyFields: [RequestField],
        announcedLength: Int64?,
        hasBody: Bool,
        isStreamed: Bool,
        isUpgrade: Bool = false,
        hasLeftOrigin: Bool,
        isPlain: Bool,
        mentionsCaching: Bool,
        expectsContinue: Bool,
        hasUserInfo: Bool,
        hasSecrets: Bool
    ) {
        (self.url, self.origin, self.method, self.fields) = (url, origin, method, fields)
        (self.commonCount, self.proxyFields, self.announcedLength) = (commonCount, proxyFields, announcedLength)
        (self.hasBody, self.isStreamed, self.isUpgrade) = (hasBody, isStreamed, isUpgrade)
        (self.hasLeftOrigin, self.isPlain, self.mentionsCaching) = (hasLeftOrigin, isPlain, mentionsCaching)
        (self.expectsContinue, self.hasUserInfo, self.hasSecrets) = (expectsContinue, hasUserInfo, hasSecrets)
    }
}
