import Foundation

/// A route as the kernel describes it (`struct rtmsg` of rtnetlink(7)).
struct NetlinkRoute: Sendable, Hashable {
    private static let headLength = 12

    /// The number of address bits the route matches; zero for a default route.
    var destinationLength: UInt8
    var type: UInt8
    /// The priority; of several routes, the one with the lowest metric is used.
    var metric: UInt32
    /// The indices of the route's interfaces.
    var interfaces: [Int32]

    /// Whether it is a unicast route, which leads to another machine or network (`RTN_UNICAST`).
    var isUnicast: Bool { type == 1 }

    /// Whether it leads to this machine (`RTN_LOCAL`).
    var isLocal: Bool { type == 2 }

    /// Creates a route from its parts.
    init(destinationLength: UInt8, type: UInt8 = 1, metric: UInt32 = 0, interfaces: [Int32]) {
        self.destinationLength = destinationLength
        self.type = type
        self.metric = metric
        self.interfaces = interfaces
    }

    /// Reads a route; nil if the message does not contain one.
    init?(_ message: NetlinkMessage) {
        guard message.type == NetlinkMessage.Kind.newRoute, message.payload.count >= Self.headLength,
            let destinationLength = message.payload.number(UInt8.self, at: 1),
            let type = message.payload.number(UInt8.self, at: 7)
        else { return nil }
        let (outgoingInterface, priority, multipath): (UInt16, UInt16, UInt16) = (4, 6, 9)
        let attributes = message.attributes(after: Self.headLength)
        self.destinationLength = destinationLength
        self.type = type
        metric = attributes[priority]?.number(UInt32.self, at: 0) ?? 0
        interfaces = attributes[outgoingInterface]?.number(Int32.self, at: 0).map { [$0] } ?? []
        if let hops = attributes[multipath] { interfaces += Self.interfaces(of: hops) }
    }

    /// Returns the interfaces of a route with several next hops (`struct rtnexthop`).
    private static func interfaces(of hops: ArraySlice<UInt8>) -> [Int32] {
        var rest = hops
        var interfaces: [Int32] = []
        while let length = rest.number(UInt16.self, at: 0).map(Int.init), length >= 8, length <= rest.count,
            let index = rest.number(Int32.self, at: 4)
        {
            interfaces.append(index)
            rest = rest.dropFirst(NetlinkMessage.aligned(length))
        }
        return interfaces
    }

    /// Returns the payload of a request for all routes of a family.
    static func dump(family: UInt8) -> [UInt8] {
        [family] + Array(repeating: 0, count: headLength - 1)
    }

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
