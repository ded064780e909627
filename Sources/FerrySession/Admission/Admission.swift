/// Decides when requests may be sent: by the connection slots of each origin, and by the limits of the session.
///
/// Only the thread that has the engine uses it.
final class Admission {
    /// The right of an exchange to send its request.
    struct Slot {
        var origin: Origin?
        /// Whether it may use one of the origin's connections.
        var hasConnection = false
        /// Whether it counts among the requests that the session has in flight.
        var isCounted = false
        /// The place in the queue that it waits in.
        var place: SlotQueue.Place?
    }

    /// The maximum number of simultaneous requests to an origin with HTTP/2, which servers commonly allow.
    private static let streamsPerOrigin = 100
    /// The number of origins without a request whose slots are kept.
    private static let idleOriginCount = 64
    /// The number of origins that are remembered although nothing but their pace is known.
    private static let largestOriginCount = 1_024

    private let connectionsPerOrigin: Int
    private let rate: RequestLimits.Rate?
    private var inFlight: SlotQueue?
    private var origins: [Origin: SlotQueue] = [:]
    /// The origins whose exchanges may begin: a slot has become free, or one has begun to wait.
    private var changed: Set<Origin> = []
    /// When the next exchange of an origin may begin, if it waits only for a time.
    private var paced: [Origin: MonotonicTime] = [:]
    /// The earliest of these times, or an earlier one.
    private(set) var nextTime: MonotonicTime?

    init(connectionsPerOrigin: Int, limits: RequestLimits?) {
        self.connectionsPerOrigin = connectionsPerOrigin
        rate = limits?.rate
        inFlight = limits?.maximumInFlight.map { SlotQueue(limit: max(1, $0)) }
    }

    /// The number of origins that are remembered.
    var originCount: Int { origins.count }

    // MARK: - Entering

    /// Lets an exchange begin now, or when there is a slot for it and its time has come.
    func admit(_ exchange: Exchange, to origin: Origin) {
        exchange.slot.origin = origin
        let connections = queue(of: origin)
        if connections.enter() { begin(exchange, connections) } else { wait(exchange, for: origin) }
    }

    /// Lets the exchanges begin that wait, as far as there are slots and their time has come.
    ///
    /// It is called once in each turn of the engine. An exchange that fails as soon as it begins frees its slot within
    /// this loop, so that a long queue of them makes no deep stack.
    func admitWaiting() {
        noteDueOrigins()
        while !changed.isEmpty || inFlight?.mayBegin == true {
            while let origin = changed.popFirst() { beginWaiting(for: origin) }
            beginWaitingInFlight()
        }
    }

    private func beginWaiting(for origin: Origin) {
        guard let connections = origins[origin] else { return }
        while let next = connections.next() { begin(next, connections) }
        if connections.mayBegin { notePace(of: origin, connections) }
    }

    /// Begins an exchange that has one of its origin's slots, or lets it wait for a place among those in flight.
    private func begin(_ exchange: Exchange, _ connections: SlotQueue) {
        exchange.slot.hasConnection = true
        if let inFlight {
            guard inFlight.enter() else { return inFlight.wait(exchange) }
            exchange.slot.isCounted = true
        }
        connections.pace?.noteRequest(at: .now())
        exchange.engine.begin(exchange)
    }

    private func beginWaitingInFlight() {
        var late: [(Exchange, Origin)] = []
        while let next = inFlight?.next() {
            next.slot.isCounted = true
            guard let origin = next.slot.origin else { continue }
            let connections = queue(of: origin)
            if connections.isInPace {
                connections.pace?.noteRequest(at: .now())
                next.engine.begin(next)
            } else {
                // Its server has asked for a delay since it got the connection. Those to other servers come first.
                leave(next)
                late.append((next, origin))
            }
        }
        for (exchange, origin) in late.reversed() { wait(exchange, for: origin, isReturning: true) }
    }

    private func wait(_ exchange: Exchange, for origin: Origin, isReturning: Bool = false) {
        queue(of: origin).wait(exchange, isReturning: isReturning)
        changed.insert(origin)
    }

    /// Takes the slots again for an exchange that is resumed: it still has its connection, so none needs to be free.
    func readmit(_ exchange: Exchange) {
        guard !exchange.slot.hasConnection, let origin = exchange.slot.origin else { return }
        queue(of: origin).reenter()
        exchange.slot.hasConnection = true
        inFlight?.reenter()
        exchange.slot.isCounted = inFlight != nil
    }

    // MARK: - Leaving

    /// Takes the slots of an exchange back, for those that wait.
    func leave(_ exchange: Exchange) {
        exchange.slot.place?.leave()
        exchange.slot.place = nil
        guard exchange.slot.hasConnection, let origin = exchange.slot.origin, let connections = origins[origin] else {
            return
        }
        exchange.slot.hasConnection = false
        connections.leave()
        if exchange.slot.isCounted {
            exchange.slot.isCounted = false
            inFlight?.leave()
        }
        if connections.mayBegin { changed.insert(origin) }
        // An idle queue is kept for the next request, unless there are many.
        if origins.count > Self.idleOriginCount, isForgettable(connections) { origins[origin] = nil }
    }

    // MARK: - Origins

    private func queue(of origin: Origin) -> SlotQueue {
        if let queue = origins[origin] { return queue }
        if origins.count >= Self.largestOriginCount { forgetOrigin() }
        let pace = rate.map { RequestPace($0, at: .now()) }
        let queue = SlotQueue(limit: connectionsPerOrigin, pace: pace)
        origins[origin] = queue
        return queue
    }

    private func isForgettable(_ queue: SlotQueue) -> Bool {
        queue.isEmpty && queue.limit == connectionsPerOrigin && queue.pace?.isUnused(at: .now()) ?? true
    }

    /// Forgets an origin without a request: a server can invent hosts by redirects.
    private func forgetOrigin() {
        if let idle = origins.first(where: { $0.value.isEmpty }) { origins[idle.key] = nil }
    }

    /// Raises the number of slots of an origin that uses HTTP/2; libcurl calls this.
    func noteMultiplexed(_ origin: Origin) {
        guard let queue = origins[origin], queue.limit < Self.streamsPerOrigin else { return }
        queue.limit = Self.streamsPerOrigin
        changed.insert(origin)
    }

    // MARK: - Pace

    /// Lets all requests to an origin wait, because its server has asked for that.
    func hold(_ origin: Origin, seconds: TimeInterval) {
        guard let delay = UInt64.nanoseconds(inSeconds: seconds) else { return }
        let (queue, now) = (queue(of: origin), MonotonicTime.now())
        var pace = queue.pace ?? RequestPace(rate, at: now)
        pace.hold(until: now.advanced(by: delay))
        queue.pace = pace
    }

    /// Notes when the next exchange may begin, which has a slot but not the time.
    private func notePace(of origin: Origin, _ queue: SlotQueue) {
        let now = MonotonicTime.now()
        let time = queue.pace?.nextTime(at: now) ?? now
        paced[origin] = time
        nextTime = min(time, nextTime ?? time)
    }

    private func noteDueOrigins() {
        guard let time = nextTime else { return }
        let now = MonotonicTime.now()
        guard time <= now else { return }
        for origin in paced.filter({ $0.value <= now }).keys {
            paced[origin] = nil
            changed.insert(origin)
        }
        nextTime = paced.values.min()
    }
}
