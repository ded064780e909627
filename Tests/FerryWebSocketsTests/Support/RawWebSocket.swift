import Ferry
import TestSupport

@testable import FerryWebSockets

extension RawServer {
    /// A server that answers the handshake and then does what the script says.
    static func webSocket(
        fields: String = "",
        _ script: @escaping @Sendable (Connection) -> Void
    ) throws -> RawServer {
        try RawServer { connection in
            connection.write(Self.answer(to: connection.readHead(), fields: fields))
            script(connection)
        }
    }

    /// The response to a handshake.
    static func answer(to head: String, fields: String = "") -> String {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key:") }
        let key = line?.split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces) ?? ""
        let accept = Handshake(key: key, protocols: [], offersCompression: false).accept
        return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(accept)\r\n\(fields)\r\n"
    }

    var webSocketURL: URL { URL(string: "ws://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/") }
}

/// A frame that a client has sent.
struct ClientFrame: Hashable, Sendable {
    var type: UInt8
    var payload: Data
    var isMasked: Bool

    /// The code of a close frame.
    var code: Int? {
        guard type == 8, payload.count >= 2 else { return nil }
        return Int(payload[0]) << 8 | Int(payload[1])
    }

    /// Returns the whole frames of what a connection has received after the head.
    static func all(in received: Data) -> [ClientFrame] {
        guard let end = received.range(of: Data("\r\n\r\n".utf8))?.upperBound else { return [] }
        var rest = Array(received[end...])[...]
        var frames: [ClientFrame] = []
        while rest.count >= 2 {
            let (first, second) = (rest[rest.startIndex], rest[rest.startIndex + 1])
            let isMasked = second & 0x80 != 0
            let more = second & 0x7F == 126 ? 2 : second & 0x7F == 127 ? 8 : 0
            let head = 2 + more + (isMasked ? 4 : 0)
            guard rest.count >= head else { break }
            let start = rest.startIndex
            let length =
                more == 0 ? Int(second & 0x7F) : rest[start + 2..<start + 2 + more].reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= head + length else { break }
            let mask = isMasked ? Array(rest[start + head - 4..<start + head]) : [0, 0, 0, 0]
            let payload = rest[start + head..<start + head + length].enumerated().map { $1 ^ mask[$0 % 4] }
            frames.append(ClientFrame(type: first & 15, payload: Data(payload), isMasked: isMasked))
            rest = rest.dropFirst(head + length)
        }
        return frames
    }
}
