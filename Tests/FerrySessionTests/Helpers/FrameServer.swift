import Foundation
import TestSupport

/// A server that speaks HTTP/2 without TLS, frame by frame, correctly or not (RFC 9113).
///
/// The script runs once for each connection, after the preface and the settings of both sides.
func frameServer(
    settings: [UInt8] = [],
    receiveBuffer: Int32? = nil,
    _ script: @escaping @Sendable (FrameConnection) -> Void
) throws -> RawServer {
    try RawServer(receiveBuffer: receiveBuffer) { connection in
        let frames = FrameConnection(connection)
        if frames.start(settings: settings) { script(frames) }
    }
}

/// A connection of such a server, used only by the script's thread.
final class FrameConnection {
    /// The type of a frame (section 6).
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// The flags of a frame.
    enum Flag {
        static let endStream: UInt8 = 1
        static let acknowledgement: UInt8 = 1
        static let endHeaders: UInt8 = 4
    }

    struct Frame {
        var kind: Kind?
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]

        var endsStream: Bool { flags & Flag.endStream != 0 && (kind == .headers || kind == .data) }
    }

    /// The position of the connection in the order of acceptance, from zero.
    var index: Int { raw.index }
    /// The streams of the requests, in their order.
    private(set) var requests: [UInt32] = []
    private let raw: RawServer.Connection
    private var position = 0

    init(_ raw: RawServer.Connection) { self.raw = raw }

    func start(settings: [UInt8] = []) -> Bool {
        guard let preface = read(24), preface.starts(with: "PRI * HTTP/2.0".utf8) else { return false }
        return send(.settings, settings)
    }

    private func read(_ count: Int) -> [UInt8]? {
        while raw.received.count - position < count {
            guard raw.readMore() else { return nil }
        }
        defer { position += count }
        return Array(raw.received[position..<(position + count)])
    }

    /// Reads the next frame; settings and pings are acknowledged, and what was received may be sent again.
    func next(opensWindows: Bool = true) -> Frame? {
        guard let head = read(9), let payload = read(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])) else {
            return nil
        }
        let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
        let frame = Frame(kind: Kind(rawValue: head[3]), flags: head[4], stream: stream, payload: payload)
        switch frame.kind {
        case .settings where head[4] & Flag.acknowledgement == 0: send(.settings, flags: Flag.acknowledgement)
        case .ping where head[4] & Flag.acknowledgement == 0: send(.ping, flags: Flag.acknowledgement, payload)
        case .headers: requests.append(stream)
        case .data where opensWindows && !payload.isEmpty:
            send(.windowUpdate, Self.bytes(UInt32(payload.count)))
            send(.windowUpdate, on: stream, Self.bytes(UInt32(payload.count)))
        default: break
        }
        return frame
    }

    /// Reads to the next request's header, and returns its stream.
    func nextRequest() -> UInt32? {
        while let frame = next() {
            if frame.kind == .headers { return frame.stream }
        }
        return nil
    }

    /// Responds to every request with 200 and `ok`, as soon as it is complete.
    func respondToAll() {
        while let frame = next() {
            if frame.endsStream { respond(to: frame.stream) }
        }
    }

    // MARK: - Sending

    @discardableResult
    func send(_ kind: Kind, flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = []) -> Bool {
        raw.write(Data(Self.frame(kind, flags: flags, on: stream, payload)))
    }

    /// Sends many frames at once.
    @discardableResult
    func send(_ frames: [UInt8]) -> Bool { raw.write(Data(frames)) }

    func sendHead(to stream: UInt32, ends: Bool = false, _ fields: [(String, String)] = [(":status", "200")]) {
        let flags = Flag.endHeaders | (ends ? Flag.endStream : 0)
        send(.headers, flags: flags, on: stream, fields.flatMap(Self.field))
    }

    func sendBody(to stream: UInt32, _ text: String, ends: Bool = true) {
        send(.data, flags: ends ? Flag.endStream : 0, on: stream, Array(text.utf8))
    }

    func respond(to stream: UInt32, _ text: String = "ok") {
        sendHead(to: stream)
        sendBody(to: stream, text)
    }

    /// Has the system drop all packets of the client.
    func losePackets() { raw.losePackets() }

    /// Ends both directions of the connection.
    func close() { raw.shutDown() }

    func reset(_ stream: UInt32, _ code: UInt32) { send(.reset, on: stream, Self.bytes(code)) }

    /// Announces the end of the connection; requests on later streams have not been processed (section 6.8).
    func goAway(last stream: UInt32, _ code: UInt32 = 0) { send(.goAway, Self.bytes(stream) + Self.bytes(code)) }

    // MARK: - Bytes

    static func frame(_ kind: Kind, flags: UInt8 = 0, on stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        Array(bytes(UInt32(payload.count)).dropFirst()) + [kind.rawValue, flags] + bytes(stream) + payload
    }

    static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    /// Returns a setting (section 6.5.1).
    static func setting(_ identifier: UInt8, _ value: UInt32) -> [UInt8] { [0, identifier] + bytes(value) }

    /// Returns a field without a table entry (RFC 7541, section 6.2.2), with up to 16,510 bytes in each text.
    static func field(_ name: String, _ value: String) -> [UInt8] { [0] + text(name) + text(value) }

    private static func text(_ text: String) -> [UInt8] {
        let (bytes, count) = (Array(text.utf8), text.utf8.count)
        if count < 127 { return [UInt8(count)] + bytes }
        let rest = count - 127
        return (rest < 128 ? [127, UInt8(rest)] : [127, UInt8(rest & 127 | 128), UInt8(rest >> 7)]) + bytes
    }
}
