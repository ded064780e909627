import Foundation

/// A socket that listens on a free port of a loopback address.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    let port: Int
    let traffic = TrafficCounter()

    init(host: String, receiveBufferSize: Int?, sendBufferSize: Int?) throws(LoopbackServerError) {
        guard let address = SocketAddress(host: host, port: 0) else { throw .invalidHost(host) }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        do throws(LoopbackServerError) {
            try Self.set(SO_REUSEADDR, 1, on: descriptor)
            if let receiveBufferSize { try Self.set(SO_RCVBUF, receiveBufferSize, on: descriptor) }
            if let sendBufferSize { try Self.set(SO_SNDBUF, sendBufferSize, on: descriptor) }
            guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
                throw .system(call: "bind", code: errno)
            }
            guard listen(descriptor, 1024) == 0 else { throw .system(call: "listen", code: errno) }
            guard let bound = SocketAddress(localOf: descriptor) else {
                throw .system(call: "getsockname", code: errno)
            }
            self.descriptor = descriptor
            port = bound.port
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
    }

    enum Acceptance {
        case connection(Socket, remotePort: Int)
        case failure(Int32)
    }

    /// Waits for the next connection.
    func accept() -> Acceptance {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.accept(descriptor, $0, &length)
            }
        }
        guard accepted >= 0 else { return .failure(errno) }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        _ = setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return .connection(Socket(descriptor: accepted, traffic: traffic), remotePort: SocketAddress(storage).port)
    }

    /// Wakes up ``accept()``, which fails from then on; new connections are refused.
    func shutDown() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func close() {
        _ = Glibc.close(descriptor)
    }

    private static func set(_ option: Int32, _ value: Int, on descriptor: Int32) throws(LoopbackServerError) {
        var value = Int32(clamping: value)
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, SOL_SOCKET, option, &value, size) == 0 else {
            throw .system(call: "setsockopt", code: errno)
        }
    }
}
