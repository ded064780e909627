import FerryTesting
import Foundation
import Testing

@testable import Ferry

@Suite("Reachability")
struct ReachabilityManagerTests {
    private func started(_ source: ScriptedSource, _ manager: ReachabilityManager) async throws {
        manager.startMonitoring()
        try await eventually { source.isRunning }
    }

    @Test("Each change is reported once: property, handler, notification, updates")
    func order() async throws {
        let source = ScriptedSource()
        let center = NotificationCenter()
        let manager = ReachabilityManager(source: source, notificationCenter: center)
        #expect(manager.status == .unknown)
        let told = Watched<[String]>([])
        manager.statusHandler = { [weak manager] status in
            let isSet = manager?.status == status
            told.change { $0.append("handler \(status) \(isSet)") }
        }
        let observer = center.addObserver(
            forName: .networkingReachabilityDidChange,
            object: manager,
            queue: nil
        ) { notification in
            let number = notification.userInfo?[ReachabilityManager.notificationStatusKey] as? Int
            told.change { $0.append("notification \(number ?? -2)") }
        }
        defer { center.removeObserver(observer) }
        let updates = manager.updates
        try await started(source, manager)
        for status in [ReachabilityStatus.reachableViaWiFi, .reachableViaWiFi, .notReachable, .reachableViaCellular] {
            source.report(status)
        }
        var seen: [ReachabilityStatus] = []
        for await status in updates {
            seen.append(status)
            if seen.count == 3 { break }
        }
        #expect(seen == [.reachableViaWiFi, .notReachable, .reachableViaCellular])
        #expect(
            told.current == [
                "handler Reachable via WiFi true", "notification 2", "handler Not Reachable true", "notification 0",
                "handler Reachable via WWAN true", "notification 1",
            ]
        )
        #expect(manager.isReachable && manager.isReachableViaCellular && !manager.isReachableViaWiFi)
    }

    @Test("After stopping nothing is reported, and a new start begins with the current status")
    func restart() async throws {
        let source = ScriptedSource(first: .reachableViaWiFi)
        let manager = ReachabilityManager(source: source)
        let told = Watched<[ReachabilityStatus]>([])
        manager.statusHandler = { status in told.change { $0.append(status) } }
        manager.startMonitoring()
        manager.startMonitoring()
        try await told.wait { $0 == [.reachableViaWiFi] }
        let late = source.reporter
        manager.stopMonitoring()
        late?(.notReachable)
        try await eventually { !source.isRunning }
        #expect(manager.status == .reachableViaWiFi)
        manager.startMonitoring()
        try await told.wait { $0.count == 2 }
        late?(.notReachable)
        source.report(.reachableViaCellular)
        try await told.wait { $0.count == 3 }
        #expect(told.current == [.reachableViaWiFi, .reachableViaWiFi, .reachableViaCellular])
        #expect(source.calls == .init(starts: 2, stops: 1))
    }

    @Test("Starting while updates are already being read reports the current status")
    func lateStart() async throws {
        let source = ScriptedSource(first: .notReachable)
        let manager = ReachabilityManager(source: source)
        var updates = manager.updates.makeAsyncIterator()
        #expect(await updates.next() == .notReachable)
        let told = Watched<[ReachabilityStatus]>([])
        manager.statusHandler = { status in told.change { $0.append(status) } }
        manager.startMonitoring()
        try await told.wait { $0 == [.notReachable] }
        #expect(source.calls.starts == 1)
    }

    @Test("A report that arrives during a start is told once")
    func reportDuringStart() async throws {
        let source = ScriptedSource()
        let queue = DispatchQueue(label: "test")
        let manager = ReachabilityManager(source: source, queue: queue)
        let told = Watched<[ReachabilityStatus]>([])
        manager.statusHandler = { status in told.change { $0.append(status) } }
        var updates = manager.updates.makeAsyncIterator()
        try await eventually { source.isRunning }
        queue.suspend()
        source.report(.reachableViaWiFi)
        manager.startMonitoring()
        queue.resume()
        #expect(await updates.next() == .reachableViaWiFi)
        source.report(.notReachable)
        #expect(await updates.next() == .notReachable)
        #expect(told.current == [.reachableViaWiFi, .notReachable])
    }

    @Test("Reading the updates keeps the source running, started or not, and no longer")
    func updates() async throws {
        let source = ScriptedSource(first: .reachableViaWiFi)
        let manager = ReachabilityManager(source: source)
        let reader = Task {
            var seen: [ReachabilityStatus] = []
            for await status in manager.updates { seen.append(status) }
            return seen
        }
        try await eventually { manager.isReachable }
        source.report(.notReachable)
        try await eventually { manager.status == .notReachable }
        reader.cancel()
        #expect(await reader.value == [.reachableViaWiFi, .notReachable])
        try await eventually { !source.isRunning }
    }

    @Test("Waiting ends once the target is reachable, at the deadline, or when the task is cancelled")
    func waiting() async throws {
        let source = ScriptedSource(first: .notReachable)
        let manager = ReachabilityManager(source: source)
        let error = await #expect(throws: NetworkError.self) {
            try await manager.waitUntilReachable(timeout: .milliseconds(20))
        }
        #expect(error?.code == .notConnected)
        let isThere = Watched(false)
        let waiter = Task {
            try await manager.waitUntilReachable()
            isThere.change { $0 = true }
        }
        try await eventually {
            source.report(.reachableViaCellular)
            return isThere.current
        }
        try await waiter.value
        manager.startMonitoring()
        try await eventually {
            source.report(.reachableViaCellular)
            return manager.isReachable
        }
        for _ in 0..<20 { try await manager.waitUntilReachable(timeout: .zero) }
        manager.stopMonitoring()
        let cancelled = Task { try await ReachabilityManager(source: ScriptedSource()).waitUntilReachable() }
        cancelled.cancel()
        let reason = await #expect(throws: NetworkError.self) { try await cancelled.value }
        #expect(reason?.code == .cancelled)
        try await eventually { !source.isRunning }
    }

    @Test("Releasing a manager stops its source and ends the updates")
    func freed() async throws {
        let source = ScriptedSource(first: .reachableViaWiFi)
        var manager: ReachabilityManager? = ReachabilityManager(source: source)
        let updates = manager?.updates
        manager?.startMonitoring()
        try await eventually { source.isRunning }
        manager = nil
        var count = 0
        for await _ in try #require(updates) { count += 1 }
        #expect(count <= 1)
        try await eventually { !source.isRunning }
    }

    @Test("The handler runs on the given queue")
    func queue() async throws {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "test", attributes: .concurrent)
        queue.setSpecific(key: key, value: true)
        let manager = ReachabilityManager(source: ScriptedSource(first: .notReachable), queue: queue)
        let isThere = Watched<Bool?>(nil)
        manager.statusHandler = { _ in isThere.change { $0 = DispatchQueue.getSpecific(key: key) ?? false } }
        manager.startMonitoring()
        try await isThere.wait { $0 != nil }
        #expect(isThere.current == true)
    }

    @Test("A session manager watches its base URL's host, or else the network")
    func ofManagers() {
        let url = URL(string: "https://API.example.com:8443/v1/")
        #expect(HTTPSessionManager(baseURL: url).reachability.target == .domain("api.example.com"))
        let address = HTTPSessionManager(baseURL: URL(string: "http://[2001:db8::1]/"))
        #expect(address.reachability.target == .address("2001:db8::1"))
        #expect(address.reachability === address.reachability)
        #expect(SessionManager().reachability === ReachabilityManager.shared)
        let own = ReachabilityManager(source: ScriptedSource())
        address.reachability = own
        #expect(address.reachability === own)
    }

    @Test("With waitsForConnectivity the async calls wait until their host is reachable, and can be cancelled")
    func connectivity() async throws {
        let server = try LoopbackServer { _ in .json("1") }
        let manager = HTTPSessionManager(baseURL: server.url)
        manager.waitsForConnectivity = true
        let source = ScriptedSource(first: .notReachable)
        manager.reachability = ReachabilityManager(
            target: try #require(ReachabilityTarget(url: server.url)),
            source: source
        )
        let cancelled = Task { await manager.response(for: .get("a", as: Int.self)) }
        try await eventually { source.isRunning }
        cancelled.cancel()
        #expect(await cancelled.value.error?.code == .cancelled)
        try await eventually { !source.isRunning }
        #expect(server.requests.isEmpty)
        let waiting = Task { try await manager.send(.get("b", as: Int.self)) }
        try await eventually { source.isRunning && manager.reachability.status == .notReachable }
        #expect(server.requests.isEmpty)
        source.report(.reachableViaWiFi)
        #expect(try await waiting.value == 1)
        // A request to another host does not wait.
        let other = try LoopbackServer { _ in .json("2") }
        let url = try #require(URL(string: "http://localhost:\(other.url.port ?? 0)/"))
        #expect(await manager.response(for: URLRequest(url: url), serializer: .decodable(Int.self)).value == 2)
    }

    @Test("With waitsForConnectivity a call whose host is not looked up does not wait", .timeLimit(.minutes(2)))
    func withoutLookup() async throws {
        let server = try LoopbackServer { _ in .json("1") }
        let url = try #require(URL(string: "http://nowhere.invalid:\(server.url.port ?? 0)/"))
        var options = CurlSession.Options()
        options.network.addresses = ["nowhere.invalid": ["127.0.0.1"]]
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 60
        let manager = HTTPSessionManager(
            baseURL: url,
            configuration: configuration,
            transport: .curl(options: options)
        )
        manager.waitsForConnectivity = true
        let source = ScriptedSource(first: .notReachable)
        manager.reachability = ReachabilityManager(target: .domain("nowhere.invalid"), source: source)
        #expect(try await manager.get("x", as: Int.self) == 1)
        #expect(source.calls.starts == 0)
    }

    @Test("An unknown status does not block waiting")
    func unknown() async throws {
        let manager = ReachabilityManager(source: ScriptedSource(first: .unknown))
        try await manager.waitUntilReachable()
        var updates = manager.updates.makeAsyncIterator()
        #expect(await updates.next() == .unknown)
    }

    @Test("This machine is reachable whatever its network")
    func loopback() async throws {
        for target in [ReachabilityTarget.address("127.0.0.1"), .domain("localhost")] {
            let manager = ReachabilityManager(target: target)
            try await manager.waitUntilReachable(timeout: .seconds(30))
        }
        let nowhere = ReachabilityManager(target: .address("no address"))
        var updates = nowhere.updates.makeAsyncIterator()
        #expect(await updates.next() == .notReachable)
    }

    @Test("Calls that wait for the same host share its descriptors, which are then closed", .ownThreads)
    func sharedDescriptors() async {
        // A separate process, so that other tests' sockets do not count.
        await #expect(processExitsWith: .success) {
            let before = NetlinkProbe.sockets
            let manager = HTTPSessionManager(baseURL: URL(string: "http://nowhere.invalid/"))
            manager.waitsForConnectivity = true
            let calls = (0..<300).map { _ in Task { await manager.response(for: .get("x", serializer: .data)) } }
            let target = ReachabilityTarget.domain("nowhere.invalid")
            try await eventually { AwaitedHosts.table.withLock { $0[target]?.calls == 300 } }
            try await eventually { NetlinkProbe.sockets > before }
            #expect(NetlinkProbe.sockets <= before + 2)
            for call in calls { call.cancel() }
            for call in calls { #expect(await call.value.error?.code == .cancelled) }
            try await eventually { NetlinkProbe.sockets <= before }
            try await eventually { AwaitedHosts.table.withLock { $0.isEmpty } }
        }
    }

    @Test("Starting and stopping leaks no descriptor", .ownThreads)
    func descriptors() async {
        // A separate process, so that other tests' sockets do not count.
        await #expect(processExitsWith: .success) {
            let before = NetlinkProbe.sockets
            for _ in 0..<50 {
                let manager = ReachabilityManager(target: .address("127.0.0.1"))
                try await manager.waitUntilReachable(timeout: .seconds(30))
            }
            try await eventually { NetlinkProbe.sockets <= before }
        }
    }
}

/// Counts the process's netlink sockets.
enum NetlinkProbe {
    static var sockets: Int {
        let table = (try? String(contentsOf: URL(fileURLWithPath: "/proc/self/net/netlink"), encoding: .utf8)) ?? ""
        let inodes = Set(table.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) })
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"),
                link.hasPrefix("socket:[")
            else { return false }
            return inodes.contains(String(link.dropFirst(8).dropLast()))
        }
    }
}
