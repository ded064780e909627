import Foundation

extension LoopbackResponse {
    /// A failure while a response is sent.
    ///
    /// Positions count body bytes without chunk framing. A position beyond the end of the body means its end, where a
    /// chunked body still lacks its last chunk.
    public enum Fault: Sendable, Equatable {
        /// The connection is closed without a response.
        case closeBeforeHead

        /// The connection is reset without a response.
        case resetBeforeHead

        /// Nothing is sent until the client disconnects or the server stops.
        case stallBeforeHead

        /// These bytes are sent instead of a response, then the connection is closed.
        case garbage(Data)

        /// The connection is reset, once the client's system has received what was sent.
        case reset(afterBodyBytes: Int)

        /// Nothing more is sent until the client disconnects or the server stops.
        case stall(afterBodyBytes: Int)

        /// The connection is closed in order, but before the end of the body.
        case truncate(afterBodyBytes: Int)

        /// Nothing is sent for some seconds, and then the rest of the body.
        case pause(afterBodyBytes: Int, seconds: TimeInterval)

        /// The response is complete, but then the connection is closed without having been announced as such.
        case closeAfterResponse
    }
}

extension LoopbackResponse.Fault {
    /// The position in the body at which the fault is triggered; `Int.max` is reserved for none.
    var bodyPosition: Int? {
        switch self {
        case .reset(let position), .stall(let position), .truncate(let position), .pause(let position, _):
            min(max(0, position), .max - 1)
        case .closeBeforeHead, .resetBeforeHead, .stallBeforeHead, .garbage, .closeAfterResponse:
            nil
        }
    }
}
