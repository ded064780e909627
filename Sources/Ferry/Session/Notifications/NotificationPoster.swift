import Foundation

/// Posts the notifications of a manager, in order, on one queue.
///
/// They wait in a list and not in the queue, so that a command-line program whose main queue never runs keeps no more
/// than ``largestBacklog`` of them; the oldest are dropped first.
final class NotificationPoster: Sendable {
    private struct Item: Sendable {
        let name: Notification.Name
        let object: any Sendable
        let userInfo: @Sendable () -> [AnyHashable: Any]?
    }

    private struct Turn {
        let queue: DispatchQueue
        let earliest: DispatchTime
        let generation: Int
    }

    private struct State: Sendable {
        var center = NotificationCenter.default
        var queue: DispatchQueue? = .main
        var items: [Item] = []
        /// The index of the oldest item, once newer items have begun to replace it.
        var oldest = 0
        var isScheduled = false
        /// The number of times that the queue was set; a batch for an earlier queue is not posted.
        var generation = 0
        var lastDrain = DispatchTime(uptimeNanoseconds: 0)

        /// Adds an item, and returns the one that it replaces because too many wait.
        mutating func append(_ item: Item) -> Item? {
            guard items.count >= NotificationPoster.largestBacklog else {
                items.append(item)
                return nil
            }
            let dropped = items[oldest]
            items[oldest] = item
            oldest = (oldest + 1) % items.count
            return dropped
        }

        /// Returns where and when the next batch is to be posted, unless one is scheduled already or nothing waits.
        mutating func schedule() -> Turn? {
            guard let queue, !isScheduled, !items.isEmpty else { return nil }
            isScheduled = true
            return Turn(queue: queue, earliest: lastDrain + NotificationPoster.interval, generation: generation)
        }

        mutating func takeItems() -> [Item] {
            defer { (items, oldest) = ([], 0) }
            return oldest == 0 ? items : Array(items[oldest...] + items[..<oldest])
        }
    }

    /// The largest number of notifications that may wait.
    static let largestBacklog = 1_000

    /// The shortest time between two batches: waking the main thread costs more than everything else.
    fileprivate static let interval = DispatchTimeInterval.milliseconds(5)

    private let state = Mutex(State())

    /// The notification center to post to.
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
                state.generation += 1
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
    /// Its user info is computed when it is posted, and never for a notification that is dropped.
    func post(
        _ name: Notification.Name,
        object: any Sendable,
        userInfo: @escaping @autoclosure @Sendable () -> [AnyHashable: Any]? = nil
    ) {
        let (turn, dropped) = state.withLock { state -> (Turn?, Item?) in
            guard state.queue != nil else { return (nil, nil) }
            let dropped = state.append(Item(name: name, object: object, userInfo: userInfo))
            return (state.schedule(), dropped)
        }
        withExtendedLifetime(dropped) {}
        if let turn { wait(for: turn) }
    }

    private func wait(for turn: Turn) {
        if turn.earliest <= .now() {
            turn.queue.async { self.drain(turn.generation) }
        } else {
            turn.queue.asyncAfter(deadline: turn.earliest) { self.drain(turn.generation) }
        }
    }

    private func drain(_ generation: Int) {
        while true {
            let (items, center) = state.withLock { state -> ([Item], NotificationCenter) in
                guard state.generation == generation else { return ([], state.center) }
                if state.items.isEmpty { (state.isScheduled, state.lastDrain) = (false, .now()) }
                return (state.takeItems(), state.center)
            }
            guard !items.isEmpty else { return }
            for item in items { center.post(name: item.name, object: item.object, userInfo: item.userInfo()) }
        }
    }
}
