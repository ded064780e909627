/// The response that the current attempt brings, from the network or from the cache; each attempt begins with a new one.
struct IncomingResponse {
    /// The redirect or challenge that the delegate decides about.
    var question: PendingQuestion?
    /// Undoes the content codings.
    var decoder: ContentDecoderChain?
    /// Why the attempt fails, where Ferry and not libcurl found the reason.
    var failure: URLError?
    /// Whether the response is a redirect that is not followed, or a challenge that is not answered.
    var isUnwanted = false
    /// Whether the body is skipped, since the file is complete already.
    var skipsBody = false
    /// Whether the attempt has succeeded; the client may not have taken all of the body yet.
    var hasEnded = false

    /// How much of an unwanted response's body is collected.
    static let unwantedBodyLimit = ByteCount(clamping: 16_777_216)
}
