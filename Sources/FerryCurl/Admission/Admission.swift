/// Decides when requests may be sent: by the connection slots of each origin, and by the limits of the session.
///
/// Only the thread that has the engine uses it. As for ``NetworkAttempt``, accesses are not checked.
package final class Admission {
    /// The maximum number of simultaneous requests to an origin with HTTP/2 or HTTP/3, which servers commonly allow.
    private static let streamsPerOrigin = 100
    /// The number of origins without a request whose slots are kept.
    private static let idleOriginCount = 64
    /// The number of origins above which those that only redirects have named are forgotten, if they have no request.
    private static let maximumOriginCount = 1_024

    private let connectionsPerOrigin: Int
    private let rate: RequestLimits.Rate?
    private var inFlight: SlotQueue?
    @exclusivity(unchecked) private(set) var origins: [Origin: SlotQueue] = [:]
    /// The number of origins at which unused ones are looked for again.
    private var nextCheck = maximumOriginCount
    /// The origins whose last response was a 503 with a delay.
    private var unavailable: Set<Origin> = []
    /// The origins whose waiting requests may begin: a slot or a request was added, or a delay has ended.
    private var changed: Set<Origin> = []
    /// The time when the next request of an origin may begin, if it waits only for that time.
    private var paced: [Origin: MonotonicTime] = [:]
    /// Whether requests that may begin wait for the next turn, since the time for them in the last turn was over.
    private(set) var isBehind = false
    /// A time that is not later than any time in ``paced``.
    package private(set) var nextTime: MonotonicTime?

    package init(connectionsPerOrigin: Int, limits: RequestLimits?) {
        self.connectionsPerOrigin = connectionsPerOrigin
        rate = limits?.rate
        inFlight = limits?.maximumInFlight.map { SlotQueue(limit: max(1, $0)) }
    }

    // MARK: - Entering

    /// Starts a request now, or when there is a slot for it and its time has come.
    package func admit(_ ticket: AdmissionTicket, to origin: Origin, isNamedByTask: Bool) {
        ticket.origin = origin
        let connections = queue(of: origin)
        if isNamedByTask { connections.isNamedByTask = true }
        if connections.enter() { begin(ticket, connections) } else { wait(ticket, for: origin) }
    }

    /// Starts waiting requests for which there are slots and whose time has come.
    ///
    /// It is called once in each turn of the engine. A request that fails as soon as it begins frees its slot, which
    /// this loop gives to the next one, so that a long queue makes no deep stack. After 4 ms the rest waits for the
    /// next turn.
    func admitWaiting() {
        noteDueOrigins()
        let end = MonotonicTime.now().advanced(by: TurnAllowance.ofAll)
        isBehind = false
        while !isBehind, !changed.isEmpty || inFlight?.mayBegin == true {
            while !isBehind, let origin = changed.popFirst() { beginWaiting(for: origin, until: end) }
            beginWaitingInFlight(until: end)
        }
    }

    private func beginWaiting(for origin: Origin, until end: MonotonicTime) {
        guard let connections = origins[origin] else { return }
        while connections.mayBegin, mayGoOn(until: end), let next = connections.next() { begin(next, connections) }
        if isBehind { changed.insert(origin) } else if connections.mayBegin { notePace(of: origin, connections) }
    }

    private func mayGoOn(until end: MonotonicTime) -> Bool {
        isBehind = MonotonicTime.now() >= end
        return !isBehind
    }

    /// Begins a request that has one of its origin's slots, or lets it wait for a place among those in flight.
    private func begin(_ ticket: AdmissionTicket, _ connections: SlotQueue) {
        ticket.hasConnection = true
        if let inFlight {
            guard inFlight.enter() else { return inFlight.wait(ticket) }
            ticket.isCounted = true
        }
        connections.pace?.noteRequest(at: .now())
        ticket.begin()
    }

    private func beginWaitingInFlight(until end: MonotonicTime) {
        var late: [(AdmissionTicket, Origin)] = []
        while let inFlight, inFlight.mayBegin, mayGoOn(until: end), let next = inFlight.next() {
            next.isCounted = true
            guard let origin = next.origin else { continue }
            let connections = queue(of: origin)
            if connections.isInPace {
                connections.pace?.noteRequest(at: .now())
                next.begin()
            } else {
                // The server has asked for a delay meanwhile, so requests to other servers come first.
                leave(next)
                late.append((next, origin))
            }
        }
        for (ticket, origin) in late.reversed() { wait(ticket, for: origin, isReturning: true) }
    }

    private func wait(_ ticket: AdmissionTicket, for origin: Origin, isReturning: Bool = false) {
        queue(of: origin).wait(ticket, isReturning: isReturning)
        changed.insert(origin)
    }

    /// Acquires the slots of a request that is resumed; it still has its connection, so no slot needs to be free.
    func readmit(_ ticket: AdmissionTicket) {
        guard !ticket.hasConnection, let origin = ticket.origin else { return }
        queue(of: origin).reenter()
        ticket.hasConnection = true
        inFlight?.reenter()
        ticket.isCounted = inFlight != nil
    }

    // MARK: - Leaving

    /// Releases the slots of a request, for those that wait.
    package func leave(_ ticket: AdmissionTicket) {
        ticket.place?.leave()
        ticket.place = nil
        guard ticket.hasConnection, let origin = ticket.origin, let connections = origins[origin] else {
            return
        }
        ticket.hasConnection = false
        connections.leave()
        if ticket.isCounted {
            ticket.isCounted = false
            inFlight?.leave()
        }
        if connections.mayBegin { changed.insert(origin) }
        // An idle queue is kept for the next request, unless there are many.
        if origins.count > Self.idleOriginCount, connections.limit == connectionsPerOrigin, isUnused(connections) {
            origins[origin] = nil
        }
    }

    // MARK: - Origins

    private func queue(of origin: Origin) -> SlotQueue {
        if let queue = origins[origin] { return queue }
        if origins.count >= nextCheck { forgetOrigins() }
        let pace = rate.map { RequestPace($0, at: .now()) }
        let queue = SlotQueue(limit: connectionsPerOrigin, pace: pace)
        origins[origin] = queue
        return queue
    }

    /// Whether an origin has no request, and its pace would be the same if it were new.
    private func isUnused(_ queue: SlotQueue) -> Bool { queue.isEmpty && queue.pace?.isUnused(at: .now()) ?? true }

    /// Forgets unused origins and, if too many remain, those without a request that only redirects have named.
    ///
    /// A server can invent hosts by redirects, but must not lift the limits on requests to a server that tasks name.
    private func forgetOrigins() {
        origins = origins.filter { !isUnused($0.value) }
        if origins.count >= Self.maximumOriginCount {
            origins = origins.filter { $0.value.isNamedByTask || !$0.value.isEmpty }
        }
        nextCheck = max(Self.maximumOriginCount, 2 * origins.count)
    }

    /// Raises the number of slots of an origin whose connections carry several requests; libcurl calls this.
    func noteMultiplexed(_ origin: Origin) {
        guard let queue = origins[origin], queue.limit < Self.streamsPerOrigin else { return }
        queue.limit = Self.streamsPerOrigin
        changed.insert(origin)
    }

    // MARK: - Pace

    /// Notes a response that is not a 503 with a delay.
    package func noteService(by origin: Origin) {
        if !unavailable.isEmpty { unavailable.remove(origin) }
    }

    /// Delays all requests to an origin, because its server has asked for that with a 429 or a 503.
    ///
    /// A 429 is about the rate of this client (RFC 6585, section 4). A 503 may be about one resource, or come from one
    /// of several servers, so that other requests wait only if the next response is one too.
    package func noteRefusal(by origin: Origin, status: Int, seconds: TimeInterval) {
        if status == 503 {
            if unavailable.count >= Self.maximumOriginCount { unavailable = [] }
            guard !unavailable.insert(origin).inserted else { return }
        }
        hold(origin, seconds: seconds)
    }

    /// Delays all requests to an origin.
    package func hold(_ origin: Origin, seconds: TimeInterval) {
        let delay = TimeSpan(seconds: seconds)
        let (queue, now) = (queue(of: origin), MonotonicTime.now())
        var pace = queue.pace ?? RequestPace(rate, at: now)
        pace.hold(until: now.advanced(by: delay))
        queue.pace = pace
    }

    /// Notes when the next request to an origin may begin, which has a slot but must wait.
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

/// The place of one transfer in the queue for its origin, or its right to send a request.
///
/// Only the thread that has the engine uses it.
package class AdmissionTicket: @unchecked Sendable {
    package internal(set) var origin: Origin?
    /// Whether one of the origin's connections may be used.
    package internal(set) var hasConnection = false
    /// Whether the request counts among those that the session has in flight.
    package var isCounted = false
    /// The place in the queue, while the request waits.
    package var place: SlotQueue.Place?
    /// The priority in the queue, from 0 to 1 as for a task.
    package var priority = URLSessionTask.defaultPriority

    package func begin() {}
    package func wait() {}
    /// Returns whether the request may begin when its turn has come; otherwise it leaves the queue.
    func mayLeaveQueue() -> Bool { true }
}
