/// A message of the kernel's netlink protocol (RFC 3549, section 2.3.2), read from untrusted bytes.
struct NetlinkMessage: Sendable, Hashable {
    /// The message types that are used.
    enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let getLink: UInt16 = 18
        static let newRoute: UInt16 = 24
        static let getRoute: UInt16 = 26
    }

    static let headerLength = 16

    var type: UInt16
    var sequence: UInt32
    var payload: ArraySlice<UInt8>

    /// Returns all complete records at the beginning of some bytes, each of which begins with its length.
    static func records<Length: FixedWidthInteger>(
        in bytes: ArraySlice<UInt8>,
        length: Length.Type,
        atLeast minimum: Int
    ) -> [ArraySlice<UInt8>] {
        var rest = bytes
        var records: [ArraySlice<UInt8>] = []
        while let count = rest.number(length, at: 0).map({ Int($0) }), count >= minimum, count <= rest.count {
            records.append(rest.prefix(count))
            rest = rest.dropFirst(aligned(count))
        }
        return records
    }

    /// Returns all complete messages at the beginning of some bytes.
    static func messages(in bytes: ArraySlice<UInt8>) -> [NetlinkMessage] {
        records(in: bytes, length: UInt32.self, atLeast: headerLength).compactMap { record in
            guard let type = record.number(UInt16.self, at: 4), let sequence = record.number(UInt32.self, at: 8) else {
                return nil
            }
            return NetlinkMessage(type: type, sequence: sequence, payload: record.dropFirst(headerLength))
        }
    }

    /// Returns the attributes after the payload's fixed-length head, by type; the first one if a type is repeated.
    func attributes(after headLength: Int) -> [UInt16: ArraySlice<UInt8>] {
        let rest = payload.dropFirst(Self.aligned(headLength))
        var attributes: [UInt16: ArraySlice<UInt8>] = [:]
        let flags: UInt16 = 0xC000
        for record in Self.records(in: rest, length: UInt16.self, atLeast: 4) {
            guard let type = record.number(UInt16.self, at: 2) else { continue }
            let key = type & ~flags
            if attributes[key] == nil { attributes[key] = record.dropFirst(4) }
        }
        return attributes
    }

    static func request(_ type: UInt16, isDump: Bool, sequence: UInt32, payload: [UInt8]) -> [UInt8] {
        let (isRequest, dump): (UInt16, UInt16) = (1, 0x300)
        var bytes: [UInt8] = []
        bytes.append(number: UInt32(headerLength + payload.count))
        bytes.append(number: type)
        bytes.append(number: isRequest | (isDump ? dump : 0))
        bytes.append(number: sequence)
        bytes.append(number: UInt32(0))
        return bytes + payload
    }

    /// Rounds up to a multiple of four: messages and attributes are aligned to four bytes.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// Returns the number at an offset, in the machine's byte order; nil if there are not enough bytes.
    func number<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, count >= size, offset <= count - size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}

extension [UInt8] {
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
    }
}

/// A network interface as the kernel describes it (`struct ifinfomsg` of rtnetlink(7)).
struct NetlinkLink: Sendable, Hashable {
    private static let headLength = 16

    var index: Int32
    var flags: UInt32
    var name: String

    /// Whether it is switched on and has a carrier (`IFF_UP` and `IFF_RUNNING`).
    var isUp: Bool { flags & 0x41 == 0x41 }

    /// Whether it is a loopback interface (`IFF_LOOPBACK`).
    var isLoopback: Bool { flags & 0x8 != 0 }

    /// Returns the payload of a request for all links.
    static func dump() -> [UInt8] { Array(repeating: 0, count: headLength) }

    /// The kind of the interface according to sysfs.
    var kind: ReachabilityRule.InterfaceKind {
        // The kernel's names contain no slash, but the name ends up in a path and so is checked.
        guard !name.isEmpty, !name.contains("/"), name != "..", name != "." else { return .other }
        let folder = URL(fileURLWithPath: "/sys/class/net").appendingPathComponent(name)
        return ReachabilityRule.kind(
            type: try? String(contentsOf: folder.appendingPathComponent("type"), encoding: .utf8),
            uevent: try? String(contentsOf: folder.appendingPathComponent("uevent"), encoding: .utf8)
        )
    }
}

extension NetlinkLink {
    /// Reads a link; nil if the message does not contain one.
    init?(_ message: NetlinkMessage) {
        guard message.type == NetlinkMessage.Kind.newLink, message.payload.count >= Self.headLength,
            let index = message.payload.number(Int32.self, at: 4),
            let flags = message.payload.number(UInt32.self, at: 8)
        else { return nil }
        let interfaceName: UInt16 = 3
        let text = message.attributes(after: Self.headLength)[interfaceName] ?? []
        self.init(index: index, flags: flags, name: String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
    }
}

/// A route as the kernel describes it (`struct rtmsg` of rtnetlink(7)).
struct NetlinkRoute: Sendable, Hashable {
    private static let headLength = 12

    /// The number of address bits the route matches; zero for a default route.
    var destinationLength: UInt8
    var type: UInt8 = 1
    /// The priority; of several routes, the one with the lowest metric is used.
    var metric: UInt32 = 0
    var interfaces: [Int32]

    /// Whether it is a unicast route, which leads to another machine or network (`RTN_UNICAST`).
    var isUnicast: Bool { type == 1 }

    /// Whether it leads to this machine (`RTN_LOCAL`).
    var isLocal: Bool { type == 2 }

    /// Returns the payload of a request for all routes of a family.
    static func dump(family: UInt8) -> [UInt8] { [family] + Array(repeating: 0, count: headLength - 1) }

    /// Returns the payload of a request for the route to an address of four or sixteen bytes.
    static func lookUp(_ address: Data) -> [UInt8] {
        let family = address.count == 4 ? UInt8(AF_INET) : UInt8(AF_INET6)
        let destination: UInt16 = 1
        var bytes = [family, UInt8(address.count * 8)] + Array(repeating: UInt8(0), count: headLength - 2)
        bytes.append(number: UInt16(4 + address.count))
        bytes.append(number: destination)
        return bytes + address
    }
}

extension NetlinkRoute {
    /// Reads a route; nil if the message does not contain one.
    init?(_ message: NetlinkMessage) {
        guard message.type == NetlinkMessage.Kind.newRoute, message.payload.count >= Self.headLength,
            let destinationLength = message.payload.number(UInt8.self, at: 1),
            let type = message.payload.number(UInt8.self, at: 7)
        else { return nil }
        let (outgoingInterface, priority, multipath): (UInt16, UInt16, UInt16) = (4, 6, 9)
        let attributes = message.attributes(after: Self.headLength)
        let metric = attributes[priority]?.number(UInt32.self, at: 0) ?? 0
        var interfaces = attributes[outgoingInterface]?.number(Int32.self, at: 0).map { [$0] } ?? []
        // The next hops (`struct rtnexthop`), if there are several.
        let hops = NetlinkMessage.records(in: attributes[multipath] ?? [], length: UInt16.self, atLeast: 8)
        interfaces += hops.compactMap { $0.number(Int32.self, at: 4) }
        self.init(destinationLength: destinationLength, type: type, metric: metric, interfaces: interfaces)
    }
}
