/// A socket to the kernel's routing tables (netlink(7)), which requires no privileges.
final class NetlinkSocket: Sendable {
    /// The multicast groups to subscribe to for changes.
    static let changes: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400  // Links; addresses and routes of IPv4 and of IPv6.

    /// How long to wait for a reply, in milliseconds; the kernel replies immediately or not at all.
    private static let patience: Int32 = 1_000

    /// The descriptor; it is closed when the socket is deinitialized.
    let descriptor: Int32

    private let sequence = Mutex<UInt32>(0)

    /// Opens a socket that is subscribed to multicast groups; nil if that fails.
    init?(groups: UInt32) {
        let netlink: Int32 = 16
        let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(netlink, kind, 0)
        guard descriptor >= 0 else { return nil }
        // `struct sockaddr_nl`: family, padding, process, groups.
        var address: [UInt8] = []
        for number in [UInt16(netlink), 0, 0, 0] { address.append(number: number) }
        address.append(number: groups)
        let code = address.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return Int32(-1) }
            return bind(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        // All properties are initialized, so deinit runs and closes the descriptor.
        guard code == 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The result of one read from the socket.
    enum Reception: Sendable {
        case messages([NetlinkMessage])
        /// There is no data now.
        case nothing
        /// Messages were lost, because they were not read in time.
        case overrun
        case failed
    }

    /// Reads what has arrived, without blocking.
    func receive() -> Reception {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else {
            switch errno {
            case EAGAIN: return .nothing
            case EINTR: return receive()
            case ENOBUFS: return .overrun
            default: return .failed
            }
        }
        return .messages(NetlinkMessage.messages(in: buffer[..<count]))
    }

    /// Sends a request to the kernel and returns its reply; nil if there is none.
    ///
    /// A reply that is an error, such as that there is no route, is returned as an empty array.
    func ask(_ type: UInt16, isDump: Bool, _ payload: [UInt8]) -> [NetlinkMessage]? {
        let number = sequence.withLock { sequence in
            sequence &+= 1
            return sequence
        }
        let request = NetlinkMessage.request(type, isDump: isDump, sequence: number, payload: payload)
        let sent = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == request.count else { return nil }
        var answer: [NetlinkMessage] = []
        while true {
            switch receive() {
            case .nothing:
                var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = poll(&poller, 1, Self.patience)
                guard ready > 0 || (ready < 0 && errno == EINTR) else { return nil }
            case .overrun, .failed:
                return nil
            case .messages(let messages):
                for message in messages where message.sequence == number {
                    switch message.type {
                    case NetlinkMessage.Kind.done, NetlinkMessage.Kind.error: return answer
                    default: answer.append(message)
                    }
                }
                if !isDump, !answer.isEmpty { return answer }
            }
        }
    }
}
