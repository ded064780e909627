import Foundation
import Testing

@testable import Ferry

@Suite("Netlink messages")
struct NetlinkMessageTests {
    private static func message(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] {
        NetlinkMessage.request(type, isDump: false, sequence: 7, payload: payload)
    }

    private static func attribute(_ type: UInt16, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: UInt16(4 + content.count))
        bytes.append(number: type)
        bytes += content
        return bytes + Array(repeating: 0, count: NetlinkMessage.aligned(content.count) - content.count)
    }

    private static func number(_ number: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: number)
        return bytes
    }

    /// Returns a route as the kernel writes it: family, lengths, table, protocol, scope, type, flags.
    private static func route(length: UInt8, type: UInt8, _ attributes: [[UInt8]]) -> [UInt8] {
        message(24, [2, length, 0, 0, 254, 3, 0, type, 0, 0, 0, 0] + attributes.flatMap { $0 })
    }

    private static func link(index: Int32, flags: UInt32, name: String) -> [UInt8] {
        message(
            16,
            [0, 0, 1, 0] + number(index) + number(flags) + [0, 0, 0, 0]
                + attribute(3, Array(name.utf8) + [0])
        )
    }

    private static let hops: [UInt8] = [8, 0, 0, 0] + number(Int32(5)) + [8, 0, 0, 0] + number(Int32(6))

    private static var samples: [UInt8] {
        route(length: 0, type: 1, [attribute(4, number(Int32(2))), attribute(6, number(UInt32(100)))])
            + route(length: 24, type: 1, [attribute(9, hops)]) + link(index: 2, flags: 0x1_0043, name: "eth0")
            + message(3, [0, 0, 0, 0])
    }

    @Test("Messages, routes, next hops and links are read")
    func samples() {
        let messages = NetlinkMessage.messages(in: Self.samples[...])
        #expect(messages.map(\.type) == [24, 24, 16, 3])
        #expect(messages.allSatisfy { $0.sequence == 7 })
        let routes = messages.compactMap(NetlinkRoute.init)
        #expect(
            routes == [
                NetlinkRoute(destinationLength: 0, metric: 100, interfaces: [2]),
                NetlinkRoute(destinationLength: 24, interfaces: [5, 6]),
            ]
        )
        let links = messages.compactMap(NetlinkLink.init)
        #expect(links == [NetlinkLink(index: 2, flags: 0x1_0043, name: "eth0")])
        #expect(links.first?.isUp == true)
        #expect(links.first?.isLoopback == false)
    }

    @Test(
        "Messages that are truncated, too long or of length zero are skipped",
        arguments: [
            ([], 0), ([16, 0, 0, 0], 0), ([0, 0, 0, 0] + Array(repeating: 0, count: 12), 0),
            ([15, 0, 0, 0] + Array(repeating: 0, count: 12), 0), ([17, 0, 0, 0] + Array(repeating: 0, count: 12), 0),
            ([0xFF, 0xFF, 0xFF, 0xFF] + Array(repeating: 0xFF, count: 12), 0),
            ([16, 0, 0, 0] + Array(repeating: 0, count: 12), 1),
            ([16, 0, 0, 0] + Array(repeating: 0, count: 12) + [16, 0], 1),
        ] as [([UInt8], Int)]
    )
    func malformed(bytes: [UInt8], count: Int) {
        #expect(NetlinkMessage.messages(in: bytes[...]).count == count)
    }

    @Test("A truncated attribute ends the list, and nothing is read past the payload")
    func attributes() throws {
        for tail in [[3, 0, 4, 0], [9, 0, 4, 0, 1, 0, 0, 0], [0, 0, 0, 0], [4]] as [[UInt8]] {
            let bytes = Self.route(length: 0, type: 1, [Self.attribute(4, Self.number(Int32(2))), tail])
            let route = try #require(NetlinkMessage.messages(in: bytes[...]).first.flatMap(NetlinkRoute.init))
            #expect(route.interfaces == [2])
        }
        let short = Self.route(length: 0, type: 1, [Self.attribute(4, [2, 0])])
        #expect(NetlinkMessage.messages(in: short[...]).first.flatMap(NetlinkRoute.init)?.interfaces == [])
        let headless = Self.message(24, [2, 0, 0])
        #expect(NetlinkMessage.messages(in: headless[...]).compactMap(NetlinkRoute.init).isEmpty)
        #expect(NetlinkMessage.messages(in: headless[...]).compactMap(NetlinkLink.init).isEmpty)
    }

    @Test("No damaged message traps")
    func fuzz() {
        var random = SeededGenerator(0x5EED)
        let count = ProcessInfo.processInfo.environment["FERRY_FUZZ"].flatMap { Int($0) } ?? 2_000
        var read = 0
        for _ in 0..<count {
            let messages = NetlinkMessage.messages(in: random.damage(Self.samples)[...])
            read += messages.compactMap(NetlinkRoute.init).count + messages.compactMap(NetlinkLink.init).count
        }
        #expect(read > 0)
    }
}

@Suite("Reachability from routes and links")
struct ReachabilityRuleTests {
    private static let up: UInt32 = 0x41
    private static let links = [
        NetlinkLink(index: 1, flags: up | 8, name: "lo"), NetlinkLink(index: 2, flags: up, name: "eth0"),
        NetlinkLink(index: 3, flags: up, name: "wwan0"), NetlinkLink(index: 4, flags: 1, name: "unplugged"),
        NetlinkLink(index: 5, flags: up, name: "wlan0"),
    ]

    private func kind(_ link: NetlinkLink) -> ReachabilityRule.InterfaceKind {
        ["wwan0": .cellular, "wlan0": .wireless][link.name] ?? .other
    }

    private static func route(
        _ interface: Int32,
        length: UInt8 = 0,
        type: UInt8 = 1,
        metric: UInt32 = 0
    ) -> NetlinkRoute {
        NetlinkRoute(destinationLength: length, type: type, metric: metric, interfaces: [interface])
    }

    @Test(
        "A default route counts if its interface is up and not loopback, the lowest metric first",
        arguments: [
            ([], .notReachable), ([route(2)], .reachable), ([route(3)], .reachableViaCellular),
            ([route(5)], .reachableViaWiFi),
            ([route(4)], .notReachable), ([route(1)], .notReachable), ([route(9)], .notReachable),
            ([route(2, length: 24)], .notReachable), ([route(2, type: 7)], .notReachable),
            ([route(3, metric: 50), route(2, metric: 100)], .reachableViaCellular),
            ([route(3, metric: 100), route(2, metric: 50)], .reachable),
            ([route(4, metric: 1), route(3, metric: 100)], .reachableViaCellular),
            (
                [NetlinkRoute(destinationLength: 0, interfaces: [4, 3])],
                .reachableViaCellular
            ), ([NetlinkRoute(destinationLength: 0, interfaces: [])], .notReachable),
        ] as [([NetlinkRoute], ReachabilityStatus)]
    )
    func defaultRoutes(routes: [NetlinkRoute], expected: ReachabilityStatus) {
        #expect(ReachabilityRule.statusOfDefault(routes: routes, links: Self.links, kind: kind) == expected)
    }

    @Test(
        "The route to an address counts, including a route to this machine",
        arguments: [
            ([route(2, length: 32)], .reachable), ([route(1, length: 32, type: 2)], .reachable),
            ([route(3, length: 32)], .reachableViaCellular), ([route(2, length: 32, type: 6)], .notReachable),
            ([], .notReachable),
        ] as [([NetlinkRoute], ReachabilityStatus)]
    )
    func addresses(routes: [NetlinkRoute], expected: ReachabilityStatus) {
        #expect(ReachabilityRule.status(of: routes, links: Self.links, kind: kind) == expected)
    }

    @Test(
        "Sysfs identifies cellular and wireless interfaces",
        arguments: [
            ("1\n", "INTERFACE=wwan0\nIFINDEX=7\nDEVTYPE=wwan\n", .cellular), ("519\n", nil, .cellular),
            ("1\n", "DEVTYPE=wlan\nINTERFACE=wlan0\n", .wireless), ("1\n", "INTERFACE=DEVTYPE=wwan\n", .other),
            ("x", "", .other), (nil, nil, .other), ("772", nil, .other),
            ("801\n", nil, .wireless), ("803", "", .wireless), ("804", nil, .other), ("1", "INTERFACE=wlan0", .other),
        ] as [(String?, String?, ReachabilityRule.InterfaceKind)]
    )
    func interfaces(type: String?, uevent: String?, expected: ReachabilityRule.InterfaceKind) {
        #expect(ReachabilityRule.kind(type: type, uevent: uevent) == expected)
    }
}
