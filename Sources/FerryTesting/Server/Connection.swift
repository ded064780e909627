/// A connection, which serves one request after the other on its own thread.
final class Connection {
    private let core: ServerCore
    private let socket: Socket
    private let id: Int
    private let remotePort: Int
    private let reader: ByteReader
    private var requestIndex = 0

    init(core: ServerCore, socket: Socket, id: Int, remotePort: Int) {
        self.core = core
        self.socket = socket
        self.id = id
        self.remotePort = remotePort
        reader = ByteReader(socket: socket)
    }

    func run() {
        var outcome = ResponseWriter.Outcome.keep
        while outcome == .keep { outcome = serveNext() }
        if outcome == .reset {
            socket.waitUntilDelivered()
        } else {
            // Closing with bytes unread, or before some arrive, resets the connection. The response must have arrived
            // by then, because a reset discards it (RFC 9112 section 9.6).
            socket.finishWriting()
            socket.waitUntilDelivered()
            if !reader.isEmpty || socket.hasUnreadBytes || isBodyUnread { socket.drain(timeout: 2) }
        }
        core.connections.remove(id)
        // When a server stops, its sockets are shut down and their receive windows stay closed: without a reset, a
        // client that is still sending would wait for a minute.
        if outcome == .reset || (isBodyUnread && core.isStopped) { socket.resetOnClose() }
        socket.close()
    }

    private var isBodyUnread = false

    private func serveNext() -> ResponseWriter.Outcome {
        if reader.isEmpty {
            let isOpen = core.connections.setIdle(true, id) && reader.fill()
            guard core.connections.setIdle(false, id), isOpen else { return .close }
        }
        do {
            guard let head = try reader.readHead(limit: core.configuration.headLimit), let rules = core.rules else {
                return .close
            }
            return try serve(head, rules)
        } catch {
            core.log.add(error)
            isBodyUnread = true
            return writer(nil, mayKeep: false).send(.text("\(error.reason)\n", statusCode: error.status))
        }
    }

    private func serve(
        _ head: RequestHead,
        _ rules: (handler: LoopbackServer.Handler, bodyReading: ServerCore.BodyReadingRule?)
    ) throws(ProtocolViolation) -> ResponseWriter.Outcome {
        var request = LoopbackRequest(head, id: id, index: requestIndex, remotePort: remotePort)
        requestIndex += 1
        let reading = rules.bodyReading?(request) ?? .whole
        let outcome = try readBody(of: &request, head, reading)
        core.log.add(request)
        switch outcome {
        case .clientLeft:
            isBodyUnread = true
            return .close
        case .stoppedAtLimit:
            isBodyUnread = true
            return writer(head, mayKeep: false).send(reading.earlyResponse ?? .status(500))
        case .complete:
            let response = reading.earlyResponse ?? rules.handler(request)
            return writer(head, mayKeep: head.keepsConnection).send(response)
        }
    }

    private func readBody(
        of request: inout LoopbackRequest,
        _ head: RequestHead,
        _ reading: LoopbackBodyReading
    ) throws(ProtocolViolation) -> RequestBodyReader.Outcome {
        guard head.framing != .none, head.framing != .length(0) else { return .complete }
        request.isComplete = false
        if reading.delay > 0, !socket.wait(reading.delay) { return .clientLeft }
        if head.expectsContinue, reading.sendsContinue, reader.isEmpty {
            guard socket.write(HeadWriter(LoopbackResponse.Interim(statusCode: 100)).bytes) else { return .clientLeft }
        }
        var body = RequestBodyReader(
            reader: reader,
            socket: socket,
            pace: Pace(bytesPerSecond: reading.bytesPerSecond),
            limit: reading.earlyResponse == nil ? .max : max(0, reading.bytesBeforeEarlyResponse),
            collector: BodyCollector(core.configuration)
        )
        let outcome = try body.read(head.framing)
        request.body = body.collector.kept
        request.bodyLength = body.collector.length
        request.bodySHA256 = body.collector.digest
        request.trailers = body.trailers
        request.isComplete = outcome == .complete
        return outcome
    }

    private func writer(_ head: RequestHead?, mayKeep: Bool) -> ResponseWriter {
        ResponseWriter(
            socket: socket,
            method: head?.method ?? "GET",
            isVersion10: head?.isVersion10 ?? false,
            mayKeepConnection: mayKeep
        )
    }
}

extension LoopbackRequest {
    /// Creates a request whose body has not been read.
    fileprivate init(_ head: RequestHead, id: Int, index: Int, remotePort: Int) {
        self.init(method: head.method, target: head.target, version: head.version, headers: head.headers)
        isChunked = head.framing == .chunked
        connectionID = id
        connectionRequestIndex = index
        self.remotePort = remotePort
    }
}
