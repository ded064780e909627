import Foundation

extension LoopbackServer {
    /// What a server keeps, and how it reads.
    public struct Configuration: Sendable {
        /// Whether requests are recorded; they are counted in any case.
        public var recordsRequests = true

        /// How many bytes of each body are kept; the rest is counted and hashed.
        ///
        /// One mebibyte unless changed.
        public var keptBodyBytes = 1 << 20

        /// Whether bodies are hashed; without it large uploads are read faster.
        public var hashesBodies = true

        /// How many bytes a request head may have; a longer one is answered with 431.
        ///
        /// One mebibyte unless changed.
        public var headLimit = 1 << 20

        /// The size in bytes of the system's receive buffer of each connection; nil for the system's own choice.
        public var receiveBufferSize: Int?

        /// The size in bytes of the system's send buffer of each connection; nil for the system's own choice.
        ///
        /// A small one shows how far a client has really read.
        public var sendBufferSize: Int?

        /// Decides how the body of a request is read, before it is; nil for ``LoopbackBodyReading/whole``.
        ///
        /// A server without a handler or with routes then reads as its routes want it.
        ///
        /// The request has no body yet. It is called on the connection's thread.
        public var bodyReading: (@Sendable (LoopbackRequest) -> LoopbackBodyReading)?

        /// Creates the usual configuration.
        public init() {}
    }
}
