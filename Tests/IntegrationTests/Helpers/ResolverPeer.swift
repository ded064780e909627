import Ferry
import FerryTesting
import TestSupport

/// A resolver for DNS over HTTPS behind nginx, which adds TLS.
///
/// The first label of a name selects the response:
///
/// | name | response |
/// | --- | --- |
/// | `unknown.…` | there is no such name |
/// | `garbage.…` | bytes that are not a message |
/// | `truncated.…` | a message without its end |
/// | `huge.…` | a message of 100,000 bytes |
/// | `failing.…` | 503 without a message |
/// | `empty.…` | a message without an address |
/// | `looping.…` | a name that consists of itself |
/// | `silent.…` | nothing before ``silence`` is opened |
/// | others | 127.0.0.1, which is valid for an hour |
final class ResolverPeer: Sendable {
    let server: LoopbackServer
    let silence: Gate

    init() throws {
        let silence = Gate()
        self.silence = silence
        server = try LoopbackServer { request in
            guard let question = Question(request.body) else { return .status(400) }
            switch question.name.split(separator: ".").first {
            case "unknown": return Self.message(question.response(code: 3, addresses: 0))
            case "garbage": return Self.message(Data((0..<200).map { _ in UInt8.random(in: 0...255) }))
            case "truncated": return Self.message(question.response(code: 0, addresses: 1).dropLast(3))
            case "huge": return Self.message(question.response(code: 0, addresses: 6_000))
            case "failing": return .text("busy", statusCode: 503)
            case "empty": return Self.message(question.response(code: 0, addresses: 0))
            case "looping": return Self.message(question.loop)
            case "silent":
                silence.wait()
                return .status(503)
            default: return Self.message(question.response(code: 0, addresses: question.isForIPv4 ? 1 : 0))
            }
        }
    }

    deinit { silence.open() }

    /// The questions that were received.
    var questions: [Question] { server.requests.compactMap { Question($0.body) } }

    /// Returns the resolver's URL at a listener of nginx.
    func url(_ nginx: NginxServer, _ listener: NginxListener = .http2, host: String = "127.0.0.1") -> URL {
        nginx.url(listener, "to/\(server.port)/dns-query", host: host)
    }

    private static func message(_ data: Data) -> LoopbackResponse {
        .data(Data(data), contentType: "application/dns-message")
    }

    /// A query (RFC 1035, section 4.1), as it must be in a request (RFC 8484, section 4.1).
    struct Question: Sendable, Hashable {
        let name: String
        let type: Int
        private let section: Data
        var isForIPv4: Bool { type == 1 }

        /// Reads a message with one question and nothing else, or returns nil if it is anything else.
        init?(_ message: Data) {
            let bytes = [UInt8](message)
            // The identifier must be zero, since responses are cached by the whole message.
            guard bytes.count > 12, bytes.prefix(12).elementsEqual([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) else {
                return nil
            }
            var rest = bytes.dropFirst(12)
            var labels: [String] = []
            while let length = rest.popFirst(), length > 0 {
                guard length < 64, rest.count > Int(length) else { return nil }
                labels.append(String(decoding: rest.prefix(Int(length)), as: UTF8.self))
                rest = rest.dropFirst(Int(length))
            }
            // The class must be that of the internet.
            guard rest.count == 4, rest.suffix(2).elementsEqual([0, 1]) else { return nil }
            name = labels.joined(separator: ".")
            type = rest.reduce(0) { $0 << 8 | Int($1) } >> 16
            section = Data(bytes.dropFirst(12))
        }

        /// Returns a message with an error code, or with addresses of this machine.
        func response(code: UInt8, addresses: Int) -> Data {
            let count = [UInt8(addresses >> 8), UInt8(addresses & 0xFF)]
            let (pointer, valid) = ([0xC0, 0x0C] as [UInt8], [0, 0, 0x0E, 0x10] as [UInt8])
            let address = isForIPv4 ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 15) + [1]
            let record = pointer + [0, UInt8(type), 0, 1] + valid + [0, UInt8(address.count)] + address
            let head = [0, 0, 0x81, 0x80 | code, 0, 1] + count + [0, 0, 0, 0]
            return Data(head) + section + Data((0..<addresses).flatMap { _ in record })
        }

        /// A message with a record whose name points to itself.
        var loop: Data {
            let place = UInt8(12 + section.count)
            return Data([0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]) + section + Data([0xC0, place, 0, 5, 0, 1, 0, 0])
                + Data([0x0E, 0x10, 0, 2, 0xC0, place])
        }
    }
}
