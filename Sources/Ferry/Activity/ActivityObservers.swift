import FerrySession

/// Hears of tasks that begin to run or cease to, as long as it exists.
///
/// `@unchecked Sendable`: the tokens are set once, before anyone else knows of it, and only handed back.
final class ActivityObservers: @unchecked Sendable {
    private let center: NotificationCenter
    private var tokens: [any NSObjectProtocol] = []

    init(center: NotificationCenter) {
        self.center = center
    }

    deinit {
        for token in tokens { center.removeObserver(token) }
    }

    /// Tells of each task whether it runs now.
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
