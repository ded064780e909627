extension LoopbackServer {
    /// Settings for what a server records and how it reads requests.
    public struct Configuration: Sendable {
        /// A Boolean value that indicates whether requests are recorded; true by default.
        ///
        /// Requests are counted in any case.
        public var recordsRequests = true

        /// The number of bytes of each body to keep; the rest is only counted and hashed.
        ///
        /// The default is one mebibyte.
        public var keptBodySize = 1 << 20

        /// A Boolean value that indicates whether bodies are hashed; true by default.
        ///
        /// Without hashing, large uploads are read faster.
        public var hashesBodies = true

        /// The greatest number of bytes in a request head; the response to a longer one is 431.
        ///
        /// The default is one mebibyte.
        public var headLimit = 1 << 20

        /// The size in bytes of the system's receive buffer of each connection; nil for the system's default.
        public var receiveBufferSize: Int?

        /// The size in bytes of the system's send buffer of each connection; nil for the system's default.
        ///
        /// With a small buffer, the number of bytes sent is close to the number that the client has read.
        public var sendBufferSize: Int?

        /// Returns how to read the body of a request, before it is read.
        ///
        /// The request has no body yet. The closure runs on the connection's thread. With nil, the default, a server
        /// with routes (the built-in ones or ``LoopbackRoute``s) reads a body as its route specifies, and a body for a
        /// handler or a fallback is read as ``LoopbackBodyReading/whole``.
        public var bodyReading: (@Sendable (LoopbackRequest) -> LoopbackBodyReading)?

        /// Creates the default configuration, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }
}

/// The way in which a ``LoopbackServer`` reads the body of a request, chosen when the head has arrived.
///
/// ```swift
/// LoopbackRoute("POST", "/refused", bodyReading: .early(.status(413)))
/// ```
public struct LoopbackBodyReading: Sendable {
    /// A Boolean value that indicates whether the server responds to `Expect: 100-continue` with `100 Continue`; true
    /// by default.
    ///
    /// If it is false, the server just waits for the body.
    public var sendsContinue = true

    /// The number of seconds to wait before `100 Continue` is sent and the body is read; 0 by default.
    public var delay: TimeInterval = 0

    /// The greatest number of bytes to read per second; nil, the default, for no limit.
    ///
    /// The system receives some more into its buffers; to bound that, set
    /// ``LoopbackServer/Configuration/receiveBufferSize``.
    public var bytesPerSecond: Int?

    /// A response that is sent before the whole body is read; nil, the default, to read all of it and call the handler.
    public var earlyResponse: LoopbackResponse?

    /// The number of body bytes to read before ``earlyResponse`` is sent; 0 by default.
    public var bytesBeforeEarlyResponse = 0

    /// Reads the whole body immediately and responds to an expectation with `100 Continue`.
    public static let whole = LoopbackBodyReading()

    /// Reads the whole body and ignores an expectation.
    public static let withoutContinue = whole.changed { $0.sendsContinue = false }

    /// Reads the whole body after a delay in seconds.
    public static func delayed(_ seconds: TimeInterval) -> LoopbackBodyReading {
        whole.changed { $0.delay = seconds }
    }

    /// Reads the whole body slowly.
    public static func paced(bytesPerSecond: Int) -> LoopbackBodyReading {
        whole.changed { $0.bytesPerSecond = bytesPerSecond }
    }

    /// Responds after `bytes` body bytes, leaves the rest unread and closes the connection.
    ///
    /// With a response that has a fault, the upload is aborted: `.early(.status(200).faulted(.resetBeforeHead))`. A
    /// response of 417 refuses an expectation.
    public static func early(_ response: LoopbackResponse, afterBytes bytes: Int = 0) -> LoopbackBodyReading {
        whole.changed {
            $0.sendsContinue = bytes > 0
            $0.earlyResponse = response
            $0.bytesBeforeEarlyResponse = bytes
        }
    }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// Creates the default way of reading.
    public init() {}
}
