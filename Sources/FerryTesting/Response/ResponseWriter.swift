/// A writer that sends one response; it is used only on the connection's thread.
struct ResponseWriter {
    /// The treatment of the connection after the response.
    enum Outcome {
        case keep
        case close
        case reset
    }

    let socket: Socket
    let method: String
    let isVersion10: Bool

    /// Whether the client allows the connection to be reused, and the whole request was read.
    let mayKeepConnection: Bool

    func send(_ response: LoopbackResponse) -> Outcome {
        if response.headDelay > 0, !socket.wait(response.headDelay) { return .close }
        if !isVersion10 {
            for interim in response.interimResponses {
                if interim.delay > 0, !socket.wait(interim.delay) { return .close }
                guard socket.write(HeadWriter(interim).bytes) else { return .close }
            }
        }
        switch response.fault {
        case .closeBeforeHead: return .close
        case .resetBeforeHead: return .reset
        case .stallBeforeHead:
            socket.waitUntilPeerLeaves()
            return .close
        case .garbage(let bytes):
            _ = socket.write(bytes)
            return .close
        default: return sendFinal(response)
        }
    }

    private func sendFinal(_ response: LoopbackResponse) -> Outcome {
        if case .file = response.body, response.body.count == nil {
            return sendFinal(.text("The file to send is missing.", statusCode: 404))
        }
        let framing = ResponseFraming(of: response, method: method, isVersion10: isVersion10)
        let keeps =
            mayKeepConnection && framing.allowsReuse && !response.closesConnection && response.rawHead == nil
            && !response.headers.contains(token: "close", in: "Connection")
        let head = HeadWriter(response, framing: framing, closes: !keeps, isVersion10: isVersion10)
        guard sendHeadAndBody(head, response, framing) else { return outcome(ofInterrupted: response) }
        return keeps && response.fault != .closeAfterResponse ? .keep : .close
    }

    /// Sends the head and the body; false if the client has disconnected or a fault was triggered.
    private func sendHeadAndBody(
        _ head: HeadWriter,
        _ response: LoopbackResponse,
        _ framing: ResponseFraming
    ) -> Bool {
        if case .none = framing {
            guard socket.write(head.bytes) else { return false }
            if case .pause = response.fault { return true }
            return response.fault?.bodyPosition == nil
        }
        let isPlain = response.bodyDelay <= 0 && response.fault == nil && response.bytesPerSecond == nil
        if isPlain, framing != .chunked, case .data(let data) = response.body, data.count <= 65536 {
            return socket.write(head.bytes + data)
        }
        let waits = response.bodyDelay > 0 || response.fault != nil || response.body.count == 0
        guard socket.write(head.bytes, hasMore: !waits && !response.body.isSlow) else { return false }
        if response.bodyDelay > 0, !socket.wait(response.bodyDelay) { return false }
        let writer = BodyWriter(response, isChunked: framing == .chunked, socket: socket)
        let length = framing.announcedLength(of: response)
        return response.body.send(to: writer, on: socket, announcedLength: length) && writer.finish()
    }

    private func outcome(ofInterrupted response: LoopbackResponse) -> Outcome {
        if case .reset = response.fault { return .reset }
        if case .stall = response.fault { socket.waitUntilPeerLeaves() }
        return .close
    }
}

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
        switch response.statusCode {
        case 100...199, 204, 304: self = .none(announcedLength: nil)
        case _ where method == "HEAD":
            let isCounted = response.framing == .automatic && ownLength == nil && ownCoding == nil
            self = .none(announcedLength: isCounted && !response.body.isChunkedKind ? count : nil)
        case _ where ownCoding != nil: self = .asWritten(matches: false)
        case _ where ownLength != nil: self = .asWritten(matches: count.map(String.init) == ownLength)
        case _ where response.framing == .untilClose: self = .untilClose
        default:
            if response.framing == .automatic, !response.body.isChunkedKind, let count {
                self = .length(count)
            } else {
                self = isVersion10 ? .untilClose : .chunked
            }
        }
    }

    /// The number of body bytes after which the client expects the next response; nil if something else ends the body.
    func announcedLength(of response: LoopbackResponse) -> Int? {
        switch self {
        case .length(let count): count
        case .asWritten(matches: true): response.headers["Content-Length"].flatMap { Int($0) }
        case .none, .chunked, .untilClose, .asWritten: nil
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
    /// Whether the body is sent in chunks unless another framing is requested.
    var isChunkedKind: Bool {
        switch self {
        case .chunked, .stream: true
        case .data, .pattern, .dripped, .file: false
        }
    }
}
