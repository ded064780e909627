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

    private struct State: Sendable {
        var center = NotificationCenter.default
        var queue: DispatchQueue? = .main
        var items: [Item] = []
        /// The index of the oldest item, once newer items have begun to replace it.
        var oldest = 0
        var isScheduled = false
        var lastDrain = DispatchTime(uptimeNanoseconds: 0)

        mutating func append(_ item: Item) {
            guard items.count >= NotificationPoster.largestBacklog else { return items.append(item) }
            items[oldest] = item
            oldest = (oldest + 1) % items.count
        }

        mutating func takeItems() -> [Item] {
            defer { (items, oldest) = ([], 0) }
            return oldest == 0 ? items : Array(items[oldest...] + items[..<oldest])
        }
    }

    /// The largest number of notifications that may wait.
    static let largestBacklog = 1_000

    /// The shortest time between two batches: waking the main thread costs more than everything else.
    private static let interval = DispatchTimeInterval.milliseconds(5)

    private let state = Mutex(State())

    /// The notification center to post to.
    var center: NotificationCenter {
        get { state.withLock { $0.center } }
        set { state.withLock { $0.center = newValue } }
    }

    /// The queue that notifications are posted on; nil posts none.
    var queue: DispatchQueue? {
        get { state.withLock { $0.queue } }
        set { state.withLock { $0.queue = newValue } }
    }

    /// Posts a notification, after those that are waiting.
    ///
    /// Its user info is computed when it is posted, and never for a notification that is dropped.
    func post(
        _ name: Notification.Name,
        object: any Sendable,
        userInfo: @escaping @autoclosure @Sendable () -> [AnyHashable: Any]? = nil
    ) {
        let turn = state.withLock { state -> (queue: DispatchQueue, earliest: DispatchTime)? in
            guard let queue = state.queue else { return nil }
            state.append(Item(name: name, object: object, userInfo: userInfo))
            guard !state.isScheduled else { return nil }
            state.isScheduled = true
            return (queue, state.lastDrain + Self.interval)
        }
        guard let turn else { return }
        if turn.earliest <= .now() {
            turn.queue.async { self.drain() }
        } else {
            turn.queue.asyncAfter(deadline: turn.earliest) { self.drain() }
        }
    }

    private func drain() {
        while true {
            let (items, center) = state.withLock { state in
                if state.items.isEmpty { (state.isScheduled, state.lastDrain) = (false, .now()) }
                return (state.takeItems(), state.center)
            }
            guard !items.isEmpty else { return }
            for item in items { center.post(name: item.name, object: item.object, userInfo: item.userInfo()) }
        }
    }
}
