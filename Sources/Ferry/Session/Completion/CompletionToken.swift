import Foundation

/// A task's membership in its completion group.
///
/// The group is left exactly once: after the completion handler or, for a task that is released without ever having
/// run, when the token is released. Releasing a `DispatchGroup` that is still entered would end the process.
final class CompletionToken: Sendable {
    private let group: Locked<DispatchGroup?>

    /// Enters a group.
    init(_ group: DispatchGroup) {
        group.enter()
        self.group = Locked(group)
    }

    /// Leaves the group; does nothing after the first call.
    func leave() {
        let group = group.withLock { group in
            defer { group = nil }
            return group
        }
        group?.leave()
    }

    deinit {
        leave()
    }
}
