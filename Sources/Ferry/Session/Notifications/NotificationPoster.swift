import FerrySession

/// Posts a manager's notifications, in order, on one queue.
///
/// They wait in a list and not in the queue: a command-line program whose main queue never runs collects no more than
/// ``largestBacklog`` of them, the oldest going first.
final class NotificationPoster: Sendable {
    private struct Item: Sendable {
        let name: Notification.Name
        let object: any Sendable
        let userInfo: [String: any Sendable]?
    }

    private struct State: Sendable {
        var center = NotificationCenter.default
        var queue: DispatchQueue? = .main
        var items: [Item] = []
        var isScheduled = false
    }

    /// The number of notifications that may wait.
    static let largestBacklog = 1_000

    private let state = Locked(State())

    /// Where notifications go.
    var center: NotificationCenter {
        get { state.withLock(\.center) }
        set { state.withLock { $0.center = newValue } }
    }

    /// The queue they are posted on; nil posts none.
    var queue: DispatchQueue? {
        get { state.withLock(\.queue) }
        set { state.withLock { $0.queue = newValue } }
    }

    /// Posts a notification, after those that wait.
    func post(_ name: Notification.Name, object: any Sendable, userInfo: [String: any Sendable]? = nil) {
        let queue = state.withLock { state -> DispatchQueue? in
            guard let queue = state.queue else { return nil }
            if state.items.count >= Self.largestBacklog { state.items.removeFirst() }
            state.items.append(Item(name: name, object: object, userInfo: userInfo))
            guard !state.isScheduled else { return nil }
            state.isScheduled = true
            return queue
        }
        queue?.async { self.drain() }
    }

    private func drain() {
        while true {
            let (items, center) = state.withLock { state in
                defer { state.items = [] }
                if state.items.isEmpty { state.isScheduled = false }
                return (state.items, state.center)
            }
            guard !items.isEmpty else { return }
            for item in items { center.post(name: item.name, object: item.object, userInfo: item.userInfo) }
        }
    }
}
