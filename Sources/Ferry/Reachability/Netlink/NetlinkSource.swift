/// A source that watches the kernel's links, addresses and routes.
///
/// The content of a change is ignored: after each one, the state is queried again. The kernel reports some changes
/// before it makes them, and does not report routes that disappear together with an address, so the state is queried
/// once more shortly afterwards. A name is looked up again too, which takes seconds without a network; until then, the
/// status is that of the known addresses. While the lookup fails, it is repeated, since a name server may become
/// reachable without an event.
final class NetlinkSource: ReachabilitySource {
    /// The resources used between `start` and `stop`.
    ///
    /// Unchecked: a dispatch source may be cancelled from any thread.
    private struct Watch: @unchecked Sendable {
        let events: NetlinkSocket
        let questions: NetlinkSocket
        let reader: any DispatchSourceRead
        let report: @Sendable (ReachabilityStatus) -> Void
    }

    private struct State: Sendable {
        var watch: Watch?
        /// The number of the run from `start` to `stop`, to ignore what belongs to an earlier one.
        var number = 0
        var schedule = LookSchedule()
        /// The addresses of the host; `nil` before the first lookup of the run has ended.
        var addresses: [Data]?
        /// Whether the host is being looked up, perhaps since an earlier run, and whether that must be repeated.
        var (isLookingUp, isOutdated) = (false, false)
    }

    private static let laterCheck = DispatchTimeInterval.milliseconds(200)

    private let target: ReachabilityTarget
    private let lookUp: @Sendable (String) -> [Data]
    private let queue = DispatchQueue(label: "ferry.reachability.netlink")
    private let lookupQueue = DispatchQueue(label: "ferry.reachability.lookup")
    private let state = Mutex(State())

    /// Creates a source; `lookUp` returns the addresses of a host name, or none if the lookup fails.
    init(target: ReachabilityTarget, lookUp: @escaping @Sendable (String) -> [Data] = HostLookup.addresses) {
        self.target = target
        self.lookUp = lookUp
    }

    deinit { stop() }

    func start(_ report: @escaping @Sendable (ReachabilityStatus) -> Void) {
        guard let events = NetlinkSocket(groups: NetlinkSocket.changes), let questions = NetlinkSocket(groups: 0) else {
            return report(.unknown)
        }
        let reader = DispatchSource.makeReadSource(fileDescriptor: events.descriptor, queue: queue)
        let watch = Watch(events: events, questions: questions, reader: reader, report: report)
        let number = state.withLock { state in
            state.watch = watch
            state.number += 1
            (state.schedule, state.addresses) = (LookSchedule(), nil)
            return state.number
        }
        reader.setEventHandler { [weak self] in self?.takeEvents(of: number) }
        // Keeps the descriptors open until the dispatch source no longer uses them.
        reader.setCancelHandler { withExtendedLifetime((events, questions)) {} }
        reader.resume()
        queue.async { [weak self] in self?.look(number) }
    }

    func stop() {
        let ended = state.withLock { state in
            defer { state.watch = nil }
            return state.watch
        }
        ended?.reader.cancel()
    }

    private func current(_ number: Int) -> Watch? { state.withLock { $0.number == number ? $0.watch : nil } }

    /// Changes the schedule of a run and returns the closure's result; nil if the run has ended.
    private func change<Result: Sendable>(_ number: Int, _ body: (inout LookSchedule) -> Result) -> Result? {
        state.withLock { state in
            guard state.number == number, state.watch != nil else { return nil }
            return body(&state.schedule)
        }
    }

    // MARK: - Runs on the queue

    private func takeEvents(of number: Int) {
        guard let watch = current(number) else { return }
        var hasChanged = false
        taking: while true {
            switch watch.events.receive() {
            case .messages, .overrun: hasChanged = true
            case .nothing: break taking
            case .failed:
                stop()
                return watch.report(.unknown)
            }
        }
        guard hasChanged else { return }
        look(number)
        if change(number, { $0.noteEvent() }) == true { scheduleLaterCheck(number) }
    }

    private func scheduleLaterCheck(_ number: Int) {
        queue.asyncAfter(deadline: .now() + Self.laterCheck) { [weak self] in
            guard let self, let isDueAgain = change(number, { $0.endLaterCheck() }) else { return }
            look(number)
            if isDueAgain { scheduleLaterCheck(number) }
        }
    }

    /// Reports the status, and looks a name up, at once or after the lookup that takes place now.
    private func look(_ number: Int) {
        report(number)
        guard case .domain(let name) = target else { return }
        let mustStart = state.withLock { state in
            guard state.watch != nil else { return false }
            state.isOutdated = state.isLookingUp
            state.isLookingUp = true
            return !state.isOutdated
        }
        guard mustStart else { return }
        lookupQueue.async { [weak self, lookUp, queue] in
            let found = lookUp(name)
            queue.async { [weak self] in self?.endLookup(found) }
        }
    }

    private func endLookup(_ found: [Data]) {
        let (number, isOutdated) = state.withLock { state in
            state.isLookingUp = false
            // A lookup that failed before the last change does not make the known addresses invalid.
            state.addresses = found.isEmpty && state.isOutdated ? state.addresses ?? [] : found
            return (state.number, state.isOutdated)
        }
        if isOutdated { return look(number) }
        report(number)
        guard let delay = change(number, { $0.noteLookup(hasSucceeded: !found.isEmpty) }) ?? nil else { return }
        queue.asyncAfter(deadline: .now() + .seconds(delay)) { [weak self] in
            if let self, change(number, { $0.endLookupDelay() }) != nil { look(number) }
        }
    }

    /// Queries the status and reports it, unless no addresses are known yet.
    private func report(_ number: Int) {
        guard let watch = current(number), let addresses = addresses() else { return }
        let status = status(watch.questions, addresses)
        if current(number) != nil { watch.report(status) }
    }

    private func addresses() -> [Data]? {
        switch target {
        case .defaultRoute: []
        case .address(let text): (try? URLHost(text))?.address.map { [$0] } ?? []
        case .domain: state.withLock { $0.addresses }
        }
    }

    private func status(_ socket: NetlinkSocket, _ addresses: [Data]) -> ReachabilityStatus {
        typealias Kind = NetlinkMessage.Kind
        var routes: [NetlinkRoute] = []
        if target == .defaultRoute {
            for family in [AF_INET, AF_INET6] {
                let answer = socket.ask(Kind.getRoute, isDump: true, NetlinkRoute.dump(family: UInt8(family)))
                guard let answer else { return .unknown }
                routes += answer.compactMap(NetlinkRoute.init)
            }
        }
        for address in addresses {
            guard let answer = socket.ask(Kind.getRoute, isDump: false, NetlinkRoute.lookUp(address)) else {
                return .unknown
            }
            routes += answer.compactMap(NetlinkRoute.init)
        }
        guard !routes.isEmpty else { return .notReachable }
        guard let answer = socket.ask(Kind.getLink, isDump: true, NetlinkLink.dump()) else { return .unknown }
        let links = answer.compactMap(NetlinkLink.init)
        return target == .defaultRoute
            ? ReachabilityRule.statusOfDefault(routes: routes, links: links, kind: \.kind)
            : ReachabilityRule.status(of: routes, links: links, kind: \.kind)
    }
}

/// Looks up the addresses of host names with the system's resolver.
enum HostLookup {
    /// Returns the addresses of a name, each as four or sixteen bytes; none if the lookup fails.
    ///
    /// Blocks until the resolver returns.
    static func addresses(of name: String) -> [Data] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &found) == 0, let list = found else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0.pointee.ai_next }.compactMap { entry in
            guard let address = entry.pointee.ai_addr.map(UnsafeRawPointer.init) else { return nil }
            switch entry.pointee.ai_family {
            case AF_INET:
                return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Data($0) }
            case AF_INET6:
                return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Data($0) }
            default: return nil
            }
        }
    }
}
