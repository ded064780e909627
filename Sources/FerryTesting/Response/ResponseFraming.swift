import Foundation

/// The way in which a response's body is delimited (RFC 9112 section 6).
enum ResponseFraming: Equatable {
    /// No body is sent; `announcedLength` is the `Content-Length` that is sent nevertheless.
    case none(announcedLength: Int?)
    case length(Int)
    case chunked
    case untilClose

    /// The response's header fields delimit it; `matches` if they are correct.
    case asWritten(matches: Bool)

    init(of response: LoopbackResponse, method: String, isVersion10: Bool) {
        let ownLength = response.headers["Content-Length"]
        let ownCoding = response.headers["Transfer-Encoding"]
        let count = response.body.count
        switch response.status {
        case 100...199, 204, 304:
            self = .none(announcedLength: nil)
        case _ where method == "HEAD":
            let isCounted = response.framing == .automatic && ownLength == nil && ownCoding == nil
            self = .none(announcedLength: isCounted && !response.body.isChunkedKind ? count : nil)
        case _ where ownCoding != nil:
            self = .asWritten(matches: false)
        case _ where ownLength != nil:
            self = .asWritten(matches: count.map(String.init) == ownLength)
        case _ where response.framing == .untilClose:
            self = .untilClose
        default:
            if response.framing == .automatic, !response.body.isChunkedKind, let count {
                self = .length(count)
            } else {
                self = isVersion10 ? .untilClose : .chunked
            }
        }
    }

    /// Whether the client can find the end of the body without the connection being closed.
    var allowsReuse: Bool {
        switch self {
        case .none, .length, .chunked: true
        case .untilClose: false
        case .asWritten(let matches): matches
        }
    }
}

extension LoopbackResponse.Body {
    /// Whether it is sent in chunks unless another framing is requested.
    var isChunkedKind: Bool {
        switch self {
        case .chunked, .stream: true
        case .data, .pattern, .dripped, .file: false
        }
    }
}
