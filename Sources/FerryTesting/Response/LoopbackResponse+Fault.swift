import Foundation

extension LoopbackResponse {
    /// What goes wrong while a response is sent.
    ///
    /// Numbers count body bytes without chunk framing; one beyond the body's end means its end, where a chunked body
    /// still lacks its last chunk.
    public enum Fault: Sendable, Equatable {
        /// The connection closes without an answer.
        case closeBeforeHead

        /// The connection is reset without an answer.
        case resetBeforeHead

        /// Nothing is sent until the client leaves or the server stops.
        case stallBeforeHead

        /// These bytes are sent in place of a response, then the connection closes.
        case garbage(Data)

        /// The connection is reset, once the client's system has what was sent.
        case reset(afterBodyBytes: Int)

        /// Nothing more is sent until the client leaves or the server stops.
        case stall(afterBodyBytes: Int)

        /// The connection closes, in order but early.
        case truncate(afterBodyBytes: Int)

        /// Nothing is sent for some seconds, then the rest.
        case pause(afterBodyBytes: Int, seconds: TimeInterval)

        /// The response is whole, then the connection closes although nothing announced it.
        case closeAfterResponse
    }
}

extension LoopbackResponse.Fault {
    /// The place in the body where it strikes; the largest number is left to mean that nothing does.
    var bodyPosition: Int? {
        switch self {
        case .reset(let position), .stall(let position), .truncate(let position), .pause(let position, _):
            min(max(0, position), .max - 1)
        case .closeBeforeHead, .resetBeforeHead, .stallBeforeHead, .garbage, .closeAfterResponse:
            nil
        }
    }
}
