import Foundation
import TestSupport
import Testing

@testable import Ferry

@Suite(
    "Reachability in a network namespace",
    .serialized,
    .enabled(if: NetworkNamespace.obstacle == nil, "\(NetworkNamespace.obstacle ?? "")"),
    .ownThreads
)
struct NetlinkSourceTests {
    // Each test runs in a separate process: Dispatch's workers are in the namespace of the thread that started them,
    // and would otherwise make other tests' connections there.

    /// Returns a manager in the namespace, and the values passed to its status handler.
    private static func watching(
        _ target: ReachabilityTarget,
        in namespace: NetworkNamespace,
        lookUp: @escaping @Sendable (String) -> [Data] = HostLookup.addresses
    ) -> (manager: ReachabilityManager, told: Watched<[ReachabilityStatus]>) {
        let source = NamespacedSource(namespace, NetlinkSource(target: target, lookUp: lookUp))
        let manager = ReachabilityManager(target: target, source: source)
        let told = Watched<[ReachabilityStatus]>([])
        manager.statusHandler = { status in told.change { $0.append(status) } }
        manager.startMonitoring()
        return (manager, told)
    }

    private static func expect(
        _ told: Watched<[ReachabilityStatus]>,
        _ count: Int,
        _ status: ReachabilityStatus,
        _ what: String
    )
        async throws
    {
        try await eventually(what, timeout: 10) { told.current.count >= count }
        #expect(told.current.count == count && told.current.last == status, "\(what): \(told.current)")
    }

    @Test("Removing and adding an address or a route is reported once each")
    func changes() async {
        await #expect(processExitsWith: .success) {
            let namespace = try NetworkNamespace()
            try namespace.ip("addr add 192.0.2.5/24 dev near")
            try namespace.ip("route add default via 192.0.2.1")
            let (network, toldOfNetwork) = NetlinkSourceTests.watching(.defaultRoute, in: namespace)
            let (neighbour, toldOfNeighbour) = NetlinkSourceTests.watching(.address("192.0.2.77"), in: namespace)
            let (stranger, toldOfStranger) = NetlinkSourceTests.watching(.address("2001:db8::1"), in: namespace)
            try await NetlinkSourceTests.expect(toldOfNetwork, 1, .reachable, "the network at the start")
            try await NetlinkSourceTests.expect(toldOfNeighbour, 1, .reachable, "the neighbour at the start")
            try await NetlinkSourceTests.expect(toldOfStranger, 1, .notReachable, "the unknown address at the start")

            try namespace.ip("addr del 192.0.2.5/24 dev near")
            try await NetlinkSourceTests.expect(toldOfNetwork, 2, .notReachable, "the address removed, for the network")
            try await NetlinkSourceTests.expect(
                toldOfNeighbour,
                2,
                .notReachable,
                "the address removed, for the neighbour"
            )
            try namespace.ip("addr add 192.0.2.5/24 dev near")
            try await NetlinkSourceTests.expect(toldOfNeighbour, 3, .reachable, "the address added")
            try namespace.ip("route add default via 192.0.2.1")
            try await NetlinkSourceTests.expect(toldOfNetwork, 3, .reachable, "the route added")
            try namespace.ip("route del default")
            try await NetlinkSourceTests.expect(toldOfNetwork, 4, .notReachable, "the route removed")
            try namespace.ip("route add blackhole 192.0.2.77/32")
            try await NetlinkSourceTests.expect(toldOfNeighbour, 4, .notReachable, "the blackhole route added")
            try namespace.ip("route del blackhole 192.0.2.77/32")
            try await NetlinkSourceTests.expect(toldOfNeighbour, 5, .reachable, "the blackhole route removed")
            try namespace.ip("link set far down")
            try await NetlinkSourceTests.expect(toldOfNeighbour, 6, .notReachable, "the cable unplugged")
            try namespace.ip("link set far up")
            try await NetlinkSourceTests.expect(toldOfNeighbour, 7, .reachable, "the cable plugged in")

            #expect(toldOfNetwork.current.count == 4)
            #expect(toldOfStranger.current.count == 1)
            for manager in [network, neighbour, stranger] { manager.stopMonitoring() }
            let (other, toldOfOther) = NetlinkSourceTests.watching(.address("192.0.2.77"), in: namespace)
            try await NetlinkSourceTests.expect(toldOfOther, 1, .reachable, "the neighbour again")
            try namespace.ip("addr flush dev near")
            try await NetlinkSourceTests.expect(toldOfOther, 2, .notReachable, "the addresses removed")
            other.stopMonitoring()
            #expect(toldOfNeighbour.current.count == 7)
        }
    }

    @Test("A change is reported at once while the name is looked up, and the result corrects the status")
    func slowLookup() async {
        await #expect(processExitsWith: .success) {
            let namespace = try NetworkNamespace()
            try namespace.ip("addr add 192.0.2.5/24 dev near")
            let (answer, running, most) = (Watched<[Data]?>([Data([192, 0, 2, 77])]), Watched(0), Watched(0))
            let (manager, told) = NetlinkSourceTests.watching(.domain("name.test"), in: namespace) { _ in
                let count = running.change { count in
                    count += 1
                    return count
                }
                most.change { $0 = max($0, count) }
                answer.block { $0 != nil }
                running.change { $0 -= 1 }
                return answer.current ?? []
            }
            try await NetlinkSourceTests.expect(told, 1, .reachable, "the name at the start")
            answer.change { $0 = nil }
            try namespace.ip("link set far down")
            try await NetlinkSourceTests.expect(told, 2, .notReachable, "the cable unplugged, without an answer")
            try await eventually("a lookup") { running.current == 1 }
            try namespace.ip("link set far up")
            try await NetlinkSourceTests.expect(told, 3, .reachable, "the cable plugged in, without an answer")
            answer.change { $0 = [Data([198, 51, 100, 7])] }
            try await NetlinkSourceTests.expect(told, 4, .notReachable, "an address without a route")
            answer.change { $0 = [Data([192, 0, 2, 78])] }
            try namespace.ip("addr add 192.0.2.6/24 dev near")
            try await NetlinkSourceTests.expect(told, 5, .reachable, "another address")
            answer.change { $0 = [] }
            try namespace.ip("addr del 192.0.2.6/24 dev near")
            try await NetlinkSourceTests.expect(told, 6, .notReachable, "a name without an address")
            manager.stopMonitoring()
            #expect(most.current == 1)
        }
    }

    @Test("A lookup that fails after a further change leaves the known addresses, and is repeated")
    func outdatedLookup() async {
        await #expect(processExitsWith: .success) {
            let namespace = try NetworkNamespace()
            try namespace.ip("addr add 192.0.2.5/24 dev near")
            let (begun, allowed) = (Watched(0), Watched(1))
            let (manager, told) = NetlinkSourceTests.watching(.domain("name.test"), in: namespace) { _ in
                let number = begun.change { count in
                    count += 1
                    return count
                }
                allowed.block { $0 >= number }
                return number == 2 ? [] : [Data([192, 0, 2, 77])]
            }
            try await NetlinkSourceTests.expect(told, 1, .reachable, "the name at the start")
            try namespace.ip("link set far down")
            try await NetlinkSourceTests.expect(told, 2, .notReachable, "the cable unplugged")
            try await eventually("a lookup") { begun.current == 2 }
            try namespace.ip("link set far up")
            try await NetlinkSourceTests.expect(told, 3, .reachable, "the cable plugged in")
            allowed.change { $0 = 2 }
            try await eventually("another lookup") { begun.current == 3 }
            try namespace.ip("link set far down")
            try await NetlinkSourceTests.expect(told, 4, .notReachable, "the cable unplugged again")
            try namespace.ip("link set far up")
            try await NetlinkSourceTests.expect(told, 5, .reachable, "the cable plugged in again")
            manager.stopMonitoring()
            allowed.change { $0 = .max }
        }
    }

    @Test("After a flood of changes the last status is reported")
    func flood() async {
        await #expect(processExitsWith: .success) {
            let namespace = try NetworkNamespace()
            try namespace.ip("addr add 192.0.2.5/24 dev near")
            let (manager, told) = NetlinkSourceTests.watching(.address("198.51.100.7"), in: namespace)
            try await NetlinkSourceTests.expect(told, 1, .notReachable, "the start")
            let folder = try TemporaryFolder()
            let lines = (0..<2_000).flatMap { index in
                [
                    "route add 10.0.\(index / 250).\(index % 250)/32 dev near",
                    "route del 10.0.\(index / 250).\(index % 250)/32",
                ]
            }
            let batch = try folder.file(
                "batch",
                (lines + ["route add 198.51.100.0/24 dev near"]).joined(separator: "\n")
            )
            try namespace.ip("-batch \(batch.path)")
            try await told.wait { $0.last == .reachable }
            #expect(told.current == [.notReachable, .reachable])
            manager.stopMonitoring()
        }
    }

    @Test("An empty network reaches nothing but itself")
    func empty() async {
        await #expect(processExitsWith: .success) {
            let namespace = try NetworkNamespace()
            let (network, told) = NetlinkSourceTests.watching(.defaultRoute, in: namespace)
            try await NetlinkSourceTests.expect(told, 1, .notReachable, "an empty network")
            let (machine, loopback) = NetlinkSourceTests.watching(.address("127.0.0.1"), in: namespace)
            try await NetlinkSourceTests.expect(loopback, 1, .notReachable, "the loopback interface, switched off")
            try namespace.ip("link set lo up")
            try await loopback.wait { $0.last == .reachable }
            for manager in [network, machine] { manager.stopMonitoring() }
        }
    }
}
