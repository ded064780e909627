import FuzzSupport

@testable import FerryCore
@testable import FerrySession

/// A server that sends the current case's bytes unchanged, and parses only the target of a request.
///
/// The target is `/case/number`. Each request for a number gets the response with that number, however often it is
/// sent. The connection is closed for late requests of other cases.
final class WirePeer: Sendable {
    private struct State {
        var number = 0
        var answers: [WireAnswer] = []
        var connections: Set<Int32> = []
        var failures: [String] = []
    }

    let port: Int
    private let state = FerryCore.Mutex(State())

    init() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        expect(isListening, "no port to listen on")
        port = Int(UInt16(bigEndian: address.sin_port))
        let thread = Thread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { continue }
                state.withLock { _ = $0.connections.insert(descriptor) }
                Thread { [self] in serve(descriptor) }.start()
            }
        }
        thread.start()
    }

    /// Starts a case, and returns the URLs of its requests.
    func begin(_ answers: [WireAnswer]) -> [URL] {
        let number = state.withLock { state in
            state.number += 1
            state.answers = answers
            return state.number
        }
        return answers.indices.compactMap { URL(string: "http://127.0.0.1:\(port)/\(number)/\($0)") }
    }

    /// Ends a case and shuts down all connections, so that the next case starts without any.
    func end() {
        state.withLock { state in
            state.number += 1
            state.answers = []
            for descriptor in state.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    var connectionCount: Int { state.withLock { $0.connections.count } }

    private func serve(_ descriptor: Int32) {
        var timeout = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var received: [UInt8] = []
        while let target = readTarget(descriptor, &received) {
            let words = target.split(whereSeparator: { "/?".contains($0) }).prefix(2).compactMap { Int($0) }
            let answer = state.withLock { state -> WireAnswer? in
                guard words.count == 2, words[0] == state.number, state.answers.indices.contains(words[1]) else {
                    return nil
                }
                return state.answers[words[1]]
            }
            guard let answer, send(answer, descriptor, path: "/\(words[0])/\(words[1])") else { break }
        }
        // Closed under the lock, so that `end` never shuts down a descriptor that another connection has reused.
        state.withLock { state in
            state.connections.remove(descriptor)
            close(descriptor)
        }
    }

    /// Reads to the end of a head, and returns its target; bytes of a body are skipped as heads that do not match.
    private func readTarget(_ descriptor: Int32, _ received: inout [UInt8]) -> String? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let line = String(decoding: received.prefix { $0 != 0x0D }, as: UTF8.self)
                received.removeSubrange(..<end.upperBound)
                let words = line.split(separator: " ")
                // Anything else is the rest of a body.
                if words.count == 3, words[1].hasPrefix("/") { return String(words[1]) }
                continue
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0, received.count < 1_000_000 else { return nil }
            received += buffer.prefix(count)
        }
    }

    /// Sends a response, and returns whether the connection stays open.
    private func send(_ answer: WireAnswer, _ descriptor: Int32, path: String) -> Bool {
        let bytes = answer.bytes(path: path)
        var rest = bytes.prefix(answer.cut ?? bytes.count)
        while !rest.isEmpty {
            let piece = Array(rest.prefix(answer.pieceSize))
            let count = Glibc.send(descriptor, piece, piece.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
            if !rest.isEmpty { sched_yield() }
        }
        switch answer.end {
        case .keep: return answer.cut == nil
        case .close: return false
        case .halfClose:
            shutdown(descriptor, Int32(SHUT_WR))
            return true
        case .reset:
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            return false
        case .stall: return true
        }
    }
}
