import Foundation

/// An observer of tasks that start or stop running, as long as it exists.
///
/// `@unchecked Sendable`: the tokens are set once, before the object is shared, and only used in `deinit`.
final class ActivityObservers: @unchecked Sendable {
    private let center: NotificationCenter
    private var tokens: [any NSObjectProtocol] = []

    init(center: NotificationCenter) {
        self.center = center
    }

    deinit {
        for token in tokens { center.removeObserver(token) }
    }

    /// Calls a closure with each task that starts or stops running, and whether it is running now.
    func observe(_ tell: @escaping @Sendable (URLSessionTask, Bool) -> Void) {
        let names: [(Notification.Name, Bool)] = [
            (.networkingTaskDidResume, true), (.networkingTaskDidSuspend, false), (.networkingTaskDidComplete, false),
        ]
        tokens = names.map { name, isRunning in
            center.addObserver(forName: name, object: nil, queue: nil) { notification in
                if let task = notification.object as? URLSessionTask { tell(task, isRunning) }
            }
        }
    }
}
