/// The hooks and monitors of a manager at one moment: an event is reported to those that are set when it is delivered.
///
/// An object that does not change, since a copy would retain two dozen closures.
final class Observers: Sendable {
    let hooks: SessionHooks
    let monitors: [any EventMonitor]

    init(hooks: SessionHooks = SessionHooks(), monitors: [any EventMonitor] = []) {
        self.hooks = hooks
        self.monitors = monitors
    }

    /// Reports an event to each monitor, in order.
    func notify(_ report: (any EventMonitor) -> Void) { for monitor in monitors { report(monitor) } }
}
