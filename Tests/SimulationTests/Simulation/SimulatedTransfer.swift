import CSimulation
import Foundation

@testable import FerryCurl

/// The simulation of libcurl's easy handle: one request over HTTP/1.1, and the arrival of its response.
///
/// `@unchecked Sendable`: only the thread that has the engine uses it.
final class SimulatedTransfer: @unchecked Sendable {
    /// The arrivals from the host, each after some seconds.
    private enum Arrival {
        case line(String)
        case bytes([UInt8])
        /// The response is complete.
        case end(closes: Bool)
        case close, reset
    }

    var options = Options()

    private var multi: SimulatedMulti?
    private var connection: SimulatedConnection?
    private var lastConnection: SimulatedConnection?
    /// A number for each use of the handle, so that events scheduled for an earlier use are ignored.
    private var use = 0
    private var address = (peer: "", scheme: "", host: "", port: Int32(0), target: "")
    private var isReused = false
    private var newConnections = 0
    private var pauses: Int32 = 0

    // The request.
    private var body: [UInt8] = []
    private var isSending = false

    // The response.
    private var arrivals: ArraySlice<(delay: Double, arrival: Arrival)> = []
    /// The arrivals while the handle was paused.
    private var kept: [Arrival] = []
    private var isWaiting = false
    /// Whether the next arrival is due while the handle is paused.
    private var hasCome = false
    private var isResuming = false
    private var received = 0
    private var headSize = 0
    private var announced: Int?
    private var times = (start: 0.0, lookup: 0.0, connect: 0.0, sent: 0.0, first: 0.0, end: 0.0)

    private var now: Double { Simulation.shared.seconds }

    // MARK: - The handle

    func start(in multi: SimulatedMulti) {
        use += 1
        self.multi = multi
        (newConnections, pauses, times) = (0, 0, (now, 0, 0, 0, 0, 0))
        (received, headSize) = (0, 0)
        address = Self.address(of: options.text(CurlOption.url) ?? "")
        inNextTurn { $0.connect(mayReuse: !$0.options.isOn(CurlOption.freshConnect)) }
    }

    /// Ends the transfer, if it is still running, and its connection with it.
    func remove() {
        multi?.forget(self)
        drop()
        (multi, use) = (nil, use + 1)
    }

    private func drop() {
        connection?.close()
        (connection, arrivals, kept) = (nil, [], [])
        (isSending, isWaiting, hasCome) = (false, false, false)
    }

    private func finish(_ code: Int32) {
        guard let multi else { return }
        times.end = now
        if code != 0 { drop() }
        use += 1
        // libcurl ends transfers only in a turn.
        if isResuming { multi.inNextTurn { multi.finish(self, code) } } else { multi.finish(self, code) }
    }

    /// Runs a closure after some seconds, unless the transfer has ended by then.
    private func after(_ seconds: Double, _ body: @escaping @Sendable (SimulatedTransfer) -> Void) {
        guard let multi else { return }
        let use = use
        Simulation.shared.schedule(multi, after: seconds) { [weak self] in
            guard let self, self.use == use else { return }
            body(self)
        }
    }

    private func inNextTurn(_ body: @escaping @Sendable (SimulatedTransfer) -> Void) {
        let use = use
        multi?.inNextTurn { [weak self] in
            guard let self, self.use == use else { return }
            body(self)
        }
    }

    private static func address(
        of url: String
    ) -> (peer: String, scheme: String, host: String, port: Int32, target: String) {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let scheme = String(parts.first?.dropLast() ?? "")
        let authority = (parts.count > 2 ? parts[2] : "").split(separator: ":")
        let host = authority.first.map { String($0) } ?? ""
        let port = authority.count > 1 ? Int32(authority[1]) ?? 0 : scheme == "https" ? 443 : 80
        return ("\(scheme)://\(host):\(port)", scheme, host, port, "/" + (parts.count > 3 ? parts[3] : ""))
    }

    // MARK: - Connecting

    private func connect(mayReuse: Bool) {
        if mayReuse, let found = multi?.takeIdle(to: address.peer) {
            (connection, lastConnection, isReused) = (found, found, true)
            return send()
        }
        isReused = false
        let context = options.pointer(Callback.resolveContext)
        guard simulation_resolve(options.pointer(Callback.resolve), context) == 0 else {
            return finish(CurlCode.couldNotResolveHost)
        }
        guard let path = Simulation.shared.host(address.host)?.path() else {
            return after(0.01) { $0.finish(CurlCode.couldNotResolveHost) }
        }
        after(path.lookupTime) { $0.open(path) }
    }

    private func open(_ path: SimulatedPath) {
        times.lookup = now
        if path.outcome == .nameNotFound { return finish(CurlCode.couldNotResolveHost) }
        let context = options.pointer(Callback.openSocketContext)
        let socket = simulation_open_socket(options.pointer(Callback.openSocket), context)
        guard socket >= 0 else { return finish(CurlCode.couldNotConnect) }
        newConnections += 1
        let closing = (options.pointer(Callback.closeSocket), options.pointer(Callback.closeSocketContext))
        connection = SimulatedConnection(peer: address.peer, port: address.port, socket: socket, closing: closing)
        lastConnection = connection
        switch path.outcome {
        case .silent: break
        case .opens: after(path.connectTime) { $0.send() }
        case .refused, .nameNotFound: after(path.connectTime) { $0.finish(CurlCode.couldNotConnect) }
        }
    }

    // MARK: - Sending

    private func send() {
        guard let connection else { return finish(CurlCode.couldNotConnect) }
        if times.connect == 0 { times.connect = now }
        let context = options.pointer(Callback.prerequestContext)
        let function = options.pointer(Callback.prerequest)
        guard simulation_prerequest(function, context, connection.port, connection.localPort) == 0 else {
            return finish(CurlCode.abortedByCallback)
        }
        times.sent = now
        (body, isSending, arrivals, kept, announced) = ([], true, [], [], nil)
        if options.isOn(CurlOption.upload) { readBody() } else { transmit() }
    }

    private func readBody() {
        guard isSending, pauses & CurlPause.send == 0 else { return }
        let length = options.integers[CurlOption.bodySize] ?? -1
        let function = options.pointer(Callback.read)
        let context = options.pointer(Callback.readContext)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while length < 0 || body.count < length {
            let use = use
            let count = buffer.withUnsafeMutableBytes {
                simulation_bytes(function, $0.baseAddress, $0.count, context)
            }
            guard use == self.use else { return }
            if count == CurlAnswer.readPause {
                pauses |= CurlPause.send
                return
            }
            guard count <= buffer.count else { return finish(CurlCode.abortedByCallback) }
            if count == 0 { break }
            body += buffer[..<count]
        }
        guard length < 0 || body.count == length else { return finish(CurlCode.partialFile) }
        transmit()
    }

    private func transmit() {
        isSending = false
        guard let host = Simulation.shared.host(address.host), let time = host.uploadTime(body.count) else {
            return after(0.01) { $0.lose(CurlCode.sendError) }
        }
        after(time) { $0.arrive(at: host) }
    }

    /// Handles the arrival of the whole request.
    private func arrive(at host: SimulatedHost) {
        guard let connection else { return }
        guard connection.isAlive else { return lose(CurlCode.receiveError) }
        let request = SimulatedRequest(
            method: options.method,
            scheme: address.scheme,
            host: address.host,
            target: options.text(CurlOption.requestTarget) ?? address.target,
            fields: options.fields,
            body: body,
            time: now,
            connection: connection.number
        )
        arrivals = Self.arrivals(of: host.respond(request), to: request)[...]
        awaitNext()
    }

    // MARK: - Receiving

    private static func arrivals(
        of response: SimulatedResponse,
        to request: SimulatedRequest
    ) -> [(delay: Double, arrival: Arrival)] {
        var arrivals: [(delay: Double, arrival: Arrival)] = []
        let hasBody = request.method != "HEAD" && response.status != 204 && response.status != 304
        let most = response.end.count ?? .max
        if most >= 0 {
            var lines = ["HTTP/1.1 \(response.status) X"] + response.fields.map { "\($0.name): \($0.value)" }
            if response.hasLength {
                lines.append("Content-Length: \(response.body.count)")
            } else if response.end != .closes {
                lines.append("Transfer-Encoding: chunked")
            }
            arrivals = (lines + [""]).map { (0, .line($0 + "\r\n")) }
            arrivals[0].delay = response.delay
        }
        if hasBody {
            var offset = 0
            let end = min(response.body.count, max(0, most))
            while offset < end {
                let next = min(offset + max(1, response.pieceSize), end)
                arrivals.append((response.pieceDelay, .bytes(Array(response.body[offset..<next]))))
                offset = next
            }
        }
        switch response.end {
        case .complete, .closes: arrivals.append((0, .end(closes: response.end == .closes)))
        case .close: arrivals.append((response.pieceDelay, .close))
        case .reset: arrivals.append((response.pieceDelay, .reset))
        case .stall: break
        }
        return arrivals
    }

    /// Waits for the next arrival; libcurl reads nothing while the handle is paused.
    private func awaitNext() {
        guard let next = arrivals.first, !isWaiting, pauses & CurlPause.receive == 0 else { return }
        isWaiting = true
        after(hasCome ? 0 : next.delay) { $0.takeNext() }
    }

    private func takeNext() {
        isWaiting = false
        guard let connection, connection.isAlive else { return lose(CurlCode.receiveError) }
        hasCome = pauses & CurlPause.receive != 0
        guard !hasCome else { return }
        let use = use
        repeat {
            guard let next = arrivals.popFirst() else { return }
            take(next.arrival)
        } while use == self.use && arrivals.first?.delay == 0
        if use == self.use { awaitNext() }
    }

    private func take(_ arrival: Arrival) {
        if pauses & CurlPause.receive != 0 || !kept.isEmpty {
            kept.append(arrival)
            return
        }
        switch arrival {
        case .line(let line):
            if times.first == 0 { times.first = now }
            headSize += line.utf8.count
            if line.hasPrefix("Content-Length: ") { announced = Int(line.dropFirst(16).dropLast(2)) }
            let context = options.pointer(Callback.headerContext)
            if !deliver(Array(line.utf8), options.pointer(Callback.header), context) { finish(CurlCode.writeError) }
        case .bytes(let bytes):
            let context = options.pointer(Callback.writeContext)
            if deliver(bytes, options.pointer(Callback.write), context) {
                received += bytes.count
            } else if pauses & CurlPause.receive != 0 {
                kept.append(arrival)
            } else {
                finish(CurlCode.writeError)
            }
        case .end(let closes):
            let mayReuse = !closes && !options.isOn(CurlOption.forbidReuse)
            if let connection, mayReuse { multi?.keep(connection) } else { connection?.close() }
            connection = nil
            finish(0)
        case .close: lose(headSize == 0 ? CurlCode.gotNothing : CurlCode.partialFile)
        case .reset: lose(CurlCode.receiveError)
        }
    }

    /// Calls back; returns whether all bytes were accepted.
    private func deliver(
        _ bytes: [UInt8],
        _ function: UnsafeMutableRawPointer?,
        _ context: UnsafeMutableRawPointer?
    ) -> Bool {
        let use = use
        let count = bytes.withUnsafeBytes {
            simulation_bytes(function, $0.baseAddress, $0.count, context)
        }
        guard use == self.use else { return true }
        if count == CurlAnswer.writePause { pauses |= CurlPause.receive }
        return count == bytes.count
    }

    /// Handles a lost connection: like libcurl, sends the request again if the connection was from the pool.
    private func lose(_ code: Int32) {
        guard isReused, headSize == 0 else { return finish(code) }
        drop()
        if !body.isEmpty,
            simulation_seek(options.pointer(Callback.seek), options.pointer(Callback.seekContext)) != 0
        {
            return finish(CurlCode.cannotRewind)
        }
        connect(mayReuse: false)
    }

    // MARK: - Pausing

    func pause(_ mask: Int32) -> Int32 {
        guard connection != nil else { return 43 }
        let old = pauses
        pauses = mask
        if old & CurlPause.send != 0, mask & CurlPause.send == 0 { inNextTurn { $0.readBody() } }
        guard old & CurlPause.receive != 0, mask & CurlPause.receive == 0 else { return 0 }
        let (arrived, use) = (kept, use)
        (kept, isResuming) = ([], true)
        defer { isResuming = false }
        for arrival in arrived where use == self.use { take(arrival) }
        if use == self.use { awaitNext() }
        return 0
    }

    // MARK: - Results

    private static let loopback = Int(bitPattern: strdup("127.0.0.1"))

    func value(of info: Int32) -> Int64 {
        func microseconds(_ time: Double) -> Int64 { time == 0 ? 0 : Int64((time - times.start) * 1e6) }
        switch info {
        case CurlInfo.httpVersion: return 2
        case CurlInfo.headerSize: return Int64(headSize)
        case CurlInfo.requestSize: return times.sent == 0 ? 0 : 1
        case CurlInfo.newConnections: return Int64(newConnections)
        case CurlInfo.primaryPort: return Int64(address.port)
        case CurlInfo.primaryAddress: return Int64(Self.loopback)
        case CurlInfo.sizeUpload: return Int64(body.count)
        case CurlInfo.sizeDownload: return Int64(received)
        case CurlInfo.totalTime: return microseconds(times.end)
        case CurlInfo.nameLookupTime: return microseconds(times.lookup)
        case CurlInfo.connectTime: return microseconds(times.connect)
        case CurlInfo.preTransferTime: return microseconds(times.sent)
        case CurlInfo.startTransferTime: return microseconds(times.first)
        case 0x50_0000 + 44: return lastConnection?.isOpen == true ? Int64(lastConnection?.socket ?? -1) : -1
        default: return 0
        }
    }
}
