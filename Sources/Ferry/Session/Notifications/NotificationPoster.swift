/// Posts the notifications of a manager, in order, on one queue.
///
/// They wait in a list and not in the queue, so that a command-line program whose main queue never runs keeps at most
/// ``maximumBacklog`` of them: the oldest are dropped first. Beyond ``maximumCost`` bytes of bodies, the oldest lose
/// their user info; those about an object that has the body are dropped in pairs.
final class NotificationPoster: Sendable {
    fileprivate struct Item: Sendable {
        let name: Notification.Name
        let object: any Sendable
        /// The number of bytes of a response's body that the notification keeps.
        let cost: Int
        /// The object, if it is what keeps the body.
        var keeper: ObjectIdentifier?
        var isBeginning = false
        let userInfo: @Sendable () -> [AnyHashable: Any]?

        /// The notification without its user info, which keeps no body.
        var bare: Item { Item(name: name, object: object, cost: 0) { nil } }
    }

    fileprivate struct Turn: Sendable {
        let queue: DispatchQueue
        let earliest: DispatchTime
    }

    /// The work that is left after a notification was added, to be done without any lock.
    struct Addition: Sendable {
        /// Where and when the next batch is to be posted, if it is not scheduled yet.
        fileprivate let turn: Turn?
        /// The older notifications that are dropped or replaced, whose objects may be the user's.
        fileprivate let dropped: [Item]
    }

    private struct State: Sendable {
        var center = NotificationCenter.default
        var queue: DispatchQueue? = .main
        /// The notifications that wait, oldest first.
        var items: [Item] = []
        var isScheduled = false
        var lastDrain = DispatchTime(uptimeNanoseconds: 0)

        /// Adds an item, and returns those that it displaces: the oldest one if too many wait, and the oldest with
        /// bodies, which then wait without them or are removed in pairs, if the bodies are too large.
        mutating func append(_ item: Item) -> [Item] {
            let isFull = items.count == NotificationPoster.maximumBacklog
            var displaced = isFull ? [items.removeFirst()] : []
            if item.cost > 0 {
                var rest = NotificationPoster.maximumCost - item.cost
                var keepers: Set<ObjectIdentifier> = []
                var counted: Set<ObjectIdentifier> = Set([item.keeper].compactMap { $0 })
                for index in items.indices.reversed() where items[index].cost > 0 {
                    if let keeper = items[index].keeper, !counted.insert(keeper).inserted { continue }
                    rest -= items[index].cost
                    guard rest < 0 else { continue }
                    if let keeper = items[index].keeper {
                        keepers.insert(keeper)
                    } else {
                        displaced.append(items[index])
                        items[index] = items[index].bare
                    }
                }
                if !keepers.isEmpty { displaced += remove(keepers) }
            }
            items.append(item)
            return displaced
        }

        /// Removes and returns the items about those objects for which a beginning and an end wait.
        ///
        /// An end whose beginning was posted already is kept, since observers may count both.
        private mutating func remove(_ keepers: Set<ObjectIdentifier>) -> [Item] {
            let paired = keepers.filter { keeper in
                let own = items.filter { $0.keeper == keeper }
                return own.first?.isBeginning == true && own.count.isMultiple(of: 2)
            }
            func isKept(_ item: Item) -> Bool { item.keeper.map { !paired.contains($0) } ?? true }
            defer { items = items.filter(isKept) }
            return items.filter { !isKept($0) }
        }

        /// Returns where and when the next batch is to be posted, unless one is scheduled already or nothing waits.
        mutating func schedule() -> Turn? {
            guard let queue, !isScheduled, !items.isEmpty else { return nil }
            isScheduled = true
            return Turn(queue: queue, earliest: lastDrain + NotificationPoster.interval)
        }

        mutating func takeItems() -> [Item] {
            defer { items = [] }
            return items
        }
    }

    /// The largest number of notifications that may wait.
    static let maximumBacklog = 1_000

    /// The largest number of bytes of bodies that waiting notifications may keep, unless the last one keeps more.
    static let maximumCost = 16 << 20

    /// The shortest time between two batches: waking the main thread costs more than everything else.
    fileprivate static let interval = DispatchTimeInterval.milliseconds(5)

    private let state = Mutex(State())

    var center: NotificationCenter {
        get { state.withLock { $0.center } }
        set { state.replace(\.center, with: newValue) }
    }

    /// The queue that notifications are posted on; nil posts none.
    var queue: DispatchQueue? {
        get { state.withLock { $0.queue } }
        set {
            let (turn, dropped) = state.withLock { state -> (Turn?, [Item]) in
                state.queue = newValue
                state.isScheduled = false
                let dropped = newValue == nil ? state.takeItems() : []
                return (state.schedule(), dropped)
            }
            // The objects of notifications may be released here, outside the lock.
            withExtendedLifetime(dropped) {}
            if let turn { wait(for: turn) }
        }
    }

    /// Posts a notification, after those that are waiting.
    ///
    /// Its user info is computed when it is posted, and never for a notification that is dropped. The cost is the
    /// number of bytes of a body that it keeps.
    func post(
        _ name: Notification.Name,
        object: any Sendable,
        cost: Int = 0,
        userInfo: @escaping @autoclosure @Sendable () -> [AnyHashable: Any]? = nil
    ) {
        finish(add(Item(name: name, object: object, cost: cost, userInfo: userInfo)))
    }

    /// Posts a notification of a beginning or an end about an object that keeps a body of `cost` bytes itself.
    func post(_ name: Notification.Name, keeper: some AnyObject & Sendable, isBeginning: Bool, cost: Int) {
        let id = ObjectIdentifier(keeper)
        finish(add(Item(name: name, object: keeper, cost: cost, keeper: id, isBeginning: isBeginning) { nil }))
    }

    /// Adds a notification; unlike `post`, it may be called with a lock held; pass the result to ``finish(_:)`` without
    /// the lock.
    func add(_ name: Notification.Name, object: any Sendable) -> Addition {
        add(Item(name: name, object: object, cost: 0, userInfo: { nil }))
    }

    /// Schedules the next batch after a notification has been added, and releases those that were dropped.
    func finish(_ addition: Addition) {
        withExtendedLifetime(addition.dropped) {}
        if let turn = addition.turn { wait(for: turn) }
    }

    /// Posts the waiting notifications if `queue`, the current serial queue, is the one that they are posted on.
    func postWaiting(on queue: DispatchQueue) {
        if state.withLock({ !$0.items.isEmpty }) { drain(queue) }
    }

    private func add(_ item: Item) -> Addition {
        state.withLock { state in
            guard state.queue != nil else { return Addition(turn: nil, dropped: []) }
            let dropped = state.append(item)
            return Addition(turn: state.schedule(), dropped: dropped)
        }
    }

    private func wait(for turn: Turn) {
        if turn.earliest <= .now() {
            turn.queue.async { self.drain(turn.queue) }
        } else {
            turn.queue.asyncAfter(deadline: turn.earliest) { self.drain(turn.queue) }
        }
    }

    /// Posts what waits, on a queue; nothing if another queue was set meanwhile.
    private func drain(_ queue: DispatchQueue) {
        while true {
            let (items, center) = state.withLock { state -> ([Item], NotificationCenter) in
                guard state.queue === queue else { return ([], state.center) }
                if state.items.isEmpty { (state.isScheduled, state.lastDrain) = (false, .now()) }
                return (state.takeItems(), state.center)
            }
            guard !items.isEmpty else { return }
            for item in items { center.post(name: item.name, object: item.object, userInfo: item.userInfo()) }
        }
    }
}
