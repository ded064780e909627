/// A transfer whose response is delivered to several calls with the same request (RFC 9111, section 4: a cache may
/// "collapse requests").
///
/// The call that came first makes the transfer; those that come before its end wait for it. Only the thread that
/// has the engine uses it.
final class SharedTransfer {
    /// The properties that must be equal for two requests to share a transfer.
    struct Key: Hashable {
        let origin: Origin
        let url: String
        /// The header fields, as bytes: Swift considers some lines equal that differ for the server.
        let lines: [[UInt8]]
        let cachePolicy: UInt
        let inactivity: TimeSpan
        let priority: Float
        /// Whether client certificates may be withheld.
        let hasLeftOrigin: Bool
        /// The number of the policy that trusts the connection.
        let trustRevision: Int
        let handlesCookies: Bool
        let mainDocumentURL: URL?
    }

    /// The largest body that is kept for other calls, in bytes.
    static let maximumBodySize = 1_048_576

    /// The end of a transfer for the calls that wait.
    enum End: Sendable {
        /// The response is delivered to each of them.
        indirect case response(LocalResponse)
        /// The network has failed, as it would have for them, and each of them recovers from it by itself.
        case failure(URLError, wasSent: Bool)
        /// The response cannot be shared, so that each of them sends its request.
        case unshareable
        /// The call has been cancelled or suspended, so that the next one takes its place.
        case abandoned
    }

    let key: Key
    private(set) var waiting: [CallDriver] = []
    private var head: (head: ResponseHead, isDecoded: Bool)?
    private var body = Data()

    init(_ key: Key) { self.key = key }

    func add(_ driver: CallDriver) { waiting.append(driver) }

    func takeWaiting() -> [CallDriver] {
        defer { waiting = [] }
        return waiting
    }

    /// Begins with a response, which replaces one of an earlier attempt.
    func begin(_ head: ResponseHead, isDecoded: Bool) {
        self.head = (head, isDecoded)
        body = Data()
    }

    /// Keeps bytes of the body, and returns whether it is still small enough.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= Self.maximumBodySize - body.count else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    /// Returns the response so far, if there is one.
    func response(trailers: [ResponseHead.Field]) -> LocalResponse? {
        head.map { head, isDecoded in
            LocalResponse(source: .otherCall, head: head, isDecoded: isDecoded, body: .data(body), trailers: trailers)
        }
    }
}
