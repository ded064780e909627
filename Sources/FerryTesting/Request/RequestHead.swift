import Foundation

/// The request line and the header fields of a request.
struct RequestHead: Equatable {
    enum BodyFraming: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var method: String
    var target: String
    var version: String
    var headers: LoopbackHeaders
    var framing: BodyFraming

    var isVersion10: Bool {
        version == "HTTP/1.0"
    }

    /// Whether the client allows the connection to be reused (RFC 9112 section 9.3).
    var keepsConnection: Bool {
        if headers.contains(token: "close", in: "Connection") { return false }
        return isVersion10 ? headers.contains(token: "keep-alive", in: "Connection") : true
    }

    var expectsContinue: Bool {
        !isVersion10 && headers.contains(token: "100-continue", in: "Expect")
    }
}
