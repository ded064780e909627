import Foundation

extension LoopbackServer {
    /// Settings for what a server records and how it reads requests.
    public struct Configuration: Sendable {
        /// A Boolean value that indicates whether requests are recorded; true by default.
        ///
        /// Requests are counted in any case.
        public var recordsRequests = true

        /// The number of bytes of each body that are kept; the rest is only counted and hashed.
        ///
        /// The default is one mebibyte.
        public var keptBodyBytes = 1 << 20

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
        /// With a small one, the number of bytes sent is close to the number the client has read.
        public var sendBufferSize: Int?

        /// Returns how to read the body of a request, before it is read.
        ///
        /// The request that is passed has no body yet. The closure runs on the connection's thread. With nil, the
        /// default, a server with routes (the built-in ones or ``LoopbackRoute``s) reads a body as its route specifies,
        /// and a server with a handler uses ``LoopbackBodyReading/whole``.
        public var bodyReading: (@Sendable (LoopbackRequest) -> LoopbackBodyReading)?

        /// Creates the default configuration.
        public init() {}
    }
}
