import FerryTesting
import Foundation

/// A plain socket that exchanges bytes with a server.
final class RawClient {
    struct Failure: Error, Equatable {
        let call: String
        let code: Int32
    }

    private let descriptor: Int32
    private var buffer = Data()
    private var isClosed = false

    init(_ server: LoopbackServer, ipv6: Bool = false) throws {
        descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
        let port = UInt16(server.port).bigEndian
        let result: Int32
        if ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port
            address.sin6_addr = in6addr_loopback
            result = Self.connect(descriptor, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            result = Self.connect(descriptor, &address)
        }
        guard result == 0 else {
            let code = errno
            _ = Glibc.close(descriptor)
            isClosed = true
            throw Failure(call: "connect", code: code)
        }
    }

    deinit {
        close()
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    var localPort: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Closes the connection; with unread bytes or `reset`, the peer gets a reset.
    func close(reset: Bool = false) {
        guard !isClosed else { return }
        isClosed = true
        if reset {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        _ = Glibc.close(descriptor)
    }

    func send(_ data: Data) throws {
        var rest = data
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(call: "send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ text: String) throws {
        try send(Data(text.utf8))
    }

    /// Sends a request with a `Host` field and, if there is a body, its length.
    func request(_ method: String, _ target: String, _ fields: [String] = [], body: Data = Data()) throws {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: test"] + fields
        if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
        try send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Receives the next bytes; empty at the end of the stream.
    func receive(upTo limit: Int = 65536) throws -> Data {
        if !buffer.isEmpty {
            let bytes = buffer.prefix(limit)
            buffer = Data(buffer.dropFirst(limit))
            return Data(bytes)
        }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &bytes, limit, 0)
        guard count >= 0 else { throw Failure(call: "recv", code: errno) }
        return Data(bytes.prefix(count))
    }

    /// Receives everything up to the end of the stream, and the error that ended it.
    func receiveAll() -> (data: Data, error: Int32?) {
        var all = Data()
        do {
            while true {
                let bytes = try receive()
                if bytes.isEmpty { return (all, nil) }
                all.append(bytes)
            }
        } catch {
            return (all, (error as? Failure)?.code)
        }
    }

    func receive(exactly count: Int) throws -> Data {
        var bytes = Data()
        while bytes.count < count {
            let more = try receive(upTo: count - bytes.count)
            guard !more.isEmpty else { throw Failure(call: "early end after \(bytes.count)", code: 0) }
            bytes.append(more)
        }
        return bytes
    }

    /// Receives bytes up to a line break, and returns them without it.
    func receiveLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                let line = buffer[...end]
                buffer = Data(buffer[(end + 1)...])
                return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
            }
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { throw Failure(call: "recv line", code: count < 0 ? errno : 0) }
            buffer.append(contentsOf: bytes.prefix(count))
        }
    }
}
