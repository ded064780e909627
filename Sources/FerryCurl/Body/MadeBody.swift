/// A request's body that is made while it is sent, and that reaches libcurl through a ``BodyPipe``.
///
/// Each sending has a new pipe if the body can be made again. Otherwise there is one, for the first request that is
/// sent with it.
package struct MadeBody: Sendable {
    /// The number of bytes that are sent, if it is known.
    package let length: ByteCount?
    package let contentCoding: ContentCoding?
    /// Whether fields may follow the body, which is then sent in chunks over HTTP/1.1: libcurl sends none over HTTP/2.
    package let sendsTrailers: Bool
    /// Whether the body can be made again.
    package var isReplayable: Bool { use == nil }
    /// Whether the bytes are not a body, but what is sent on the connection after the server has switched protocols.
    package let isUpgrade: Bool
    /// Whether the request ends with its response, although the body may not have ended.
    let endsWithResponse: Bool

    private let use: SingleUse?
    private let makePipe: @Sendable () -> BodyPipe
    private let begin: @Sendable (BodyPipe) -> Void

    /// Describes a body; `contentCoding` has been applied to the bytes in the pipe, and is named in the request's
    /// header.
    ///
    /// `begin` begins to fill a pipe when libcurl first reads from it, once for each sending. It is called on the
    /// engine's thread, so it must not block and must not call the user's code.
    package init(
        length: ByteCount?,
        contentCoding: ContentCoding? = nil,
        sendsTrailers: Bool = false,
        isReplayable: Bool,
        isUpgrade: Bool = false,
        endsWithResponse: Bool = false,
        makePipe: @escaping @Sendable () -> BodyPipe,
        begin: @escaping @Sendable (BodyPipe) -> Void = { _ in }
    ) {
        self.length = contentCoding == nil && !sendsTrailers ? length : nil
        (self.contentCoding, self.sendsTrailers, self.isUpgrade) = (contentCoding, sendsTrailers, isUpgrade)
        self.endsWithResponse = endsWithResponse
        use = isReplayable ? nil : SingleUse()
        self.makePipe = makePipe
        self.begin = begin
    }

    /// Returns the length to send, which may come from the request's header.
    package func length(announced: Int64?) -> ByteCount? {
        if contentCoding != nil || sendsTrailers || isUpgrade { return nil }
        return length ?? announced.flatMap { ByteCount($0) }
    }

    /// Begins to make the body, and returns its pipe; `nil` if it was made before and cannot be made again.
    package func open(length: ByteCount?, wake: @escaping @Sendable () -> Void) -> BodyPipe? {
        if let use, !use.claim() { return nil }
        let pipe = makePipe()
        pipe.attach(length: length, wake: wake)
        begin(pipe)
        return pipe
    }

    /// Closes the pipe of a body that can be made only once and that no request has read.
    package func abandon() {
        if let use, use.claim() { makePipe().close() }
    }

    private final class SingleUse: Sendable {
        private let isUsed = Mutex(false)

        func claim() -> Bool { isUsed.claim() }
    }
}

/// Reads a body that is made while it is sent; making it begins with the first read.
package final class MadeBodyReader: BodyReader {
    package let length: ByteCount?
    package let body: MadeBody
    private let url: URL?
    /// Makes libcurl read again after a read returned `.wait`; has no effect otherwise.
    let wake: @Sendable () -> Void
    private var pipe: BodyPipe?
    private var hasDelivered = false

    /// Makes a reader; `wake` is called, on any thread, when bytes are available again after a read returned `.wait`.
    package init(_ body: MadeBody, length: ByteCount?, url: URL?, wake: @escaping @Sendable () -> Void) {
        (self.body, self.length, self.url, self.wake) = (body, length, url, wake)
        // Bytes that are sent after the response may be appended before libcurl reads.
        if body.isUpgrade { pipe = body.open(length: length, wake: wake) }
    }

    /// Ends the body, so that libcurl waits for nothing but the response.
    package func finish() { pipe?.finish() }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
        guard let pipe = pipe ?? body.open(length: length, wake: wake) else {
            return .failed(.ferryWithoutStream(url: url))
        }
        self.pipe = pipe
        let piece = pipe.read(into: buffer)
        switch piece {
        case .bytes: hasDelivered = true
        case .thrown(let error as CurlSessionError):
            return .failed(.ferry(.requestBodyStreamExhausted, url: url, underlying: error))
        case .end, .wait, .failed, .thrown: break
        }
        return piece
    }

    package func rewind() -> Bool {
        guard hasDelivered else { return true }
        guard body.isReplayable else { return false }
        pipe?.close()
        (pipe, hasDelivered) = (nil, false)
        return true
    }

    package func close() { pipe?.close() }

    /// The fields after the body, once it has been read to its end.
    var trailers: [RequestField] { pipe?.trailers ?? [] }
}
