import Foundation

/// How a response's body goes over the wire (RFC 9112 section 6).
enum ResponseFraming: Equatable {
    /// No body is sent; `announcedLength` is what `Content-Length` says all the same.
    case none(announcedLength: Int?)
    case length(Int)
    case chunked
    case untilClose

    /// The response's own fields say it; `matches` if they say the truth.
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

    /// Whether the client finds the end of the body without the connection's end.
    var allowsReuse: Bool {
        switch self {
        case .none, .length, .chunked: true
        case .untilClose: false
        case .asWritten(let matches): matches
        }
    }
}

extension LoopbackResponse.Body {
    /// Whether it goes in chunks unless something else is asked for.
    var isChunkedKind: Bool {
        switch self {
        case .chunked, .stream: true
        case .data, .pattern, .dripped, .file: false
        }
    }
}
