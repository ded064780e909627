/// A response that is held back until the delegate has decided what becomes of it.
struct PendingQuestion {
    enum Kind {
        case redirect(URLRequest, keepsBody: Bool)
        case challenge(AuthenticationChallenge)
    }

    var response: HTTPURLResponse
    var kind: Kind
    /// The beginning of the response's body, which is delivered if the response turns out to be the final one.
    var body: [UInt8] = []
    var isAsked = false
    /// Why the body is damaged or incomplete, which matters only if the response is delivered.
    var failure: URLError?
    /// Whether the response is a proxy's to `CONNECT`, and not one to the request.
    var isTunnel = false
    /// Whether the attempt was ended before the body came, so that the response cannot be delivered.
    var isAbandoned = false

    /// How much of the body is kept before the delegate is asked.
    static let bodyLimit = 65_536
}
