import Foundation

/// An event monitor that forwards every event to several others, in order.
public struct CompositeEventMonitor: EventMonitor {
    /// The monitors.
    public let monitors: [any EventMonitor]

    /// Creates a monitor from several others.
    public init(_ monitors: [any EventMonitor]) {
        self.monitors = monitors
    }

    /// Forwards the event to all monitors.
    public func taskDidCreate(_ task: URLSessionTask) {
        for monitor in monitors { monitor.taskDidCreate(task) }
    }

    /// Forwards the event to all monitors.
    public func taskDidResume(_ task: URLSessionTask) {
        for monitor in monitors { monitor.taskDidResume(task) }
    }

    /// Forwards the event to all monitors.
    public func taskDidSuspend(_ task: URLSessionTask) {
        for monitor in monitors { monitor.taskDidSuspend(task) }
    }

    /// Forwards the event to all monitors.
    public func task(_ task: URLSessionTask, didSend byteCount: Int64, of totalByteCount: Int64?) {
        for monitor in monitors { monitor.task(task, didSend: byteCount, of: totalByteCount) }
    }

    /// Forwards the event to all monitors.
    public func task(_ task: URLSessionTask, didRedirectBy response: HTTPURLResponse, to request: URLRequest?) {
        for monitor in monitors { monitor.task(task, didRedirectBy: response, to: request) }
    }

    /// Forwards the event to all monitors.
    public func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {
        for monitor in monitors { monitor.task(task, didReceive: challenge) }
    }

    /// Forwards the event to all monitors.
    public func task(_ task: URLSessionTask, didReceive response: URLResponse) {
        for monitor in monitors { monitor.task(task, didReceive: response) }
    }

    /// Forwards the event to all monitors.
    public func task(_ task: URLSessionTask, didReceive data: Data) {
        for monitor in monitors { monitor.task(task, didReceive: data) }
    }

    /// Forwards the event to all monitors.
    public func task(_ task: URLSessionTask, didCompleteWith error: (any Error)?) {
        for monitor in monitors { monitor.task(task, didCompleteWith: error) }
    }

    /// Forwards the event to all monitors.
    public func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion) {
        for monitor in monitors { monitor.task(task, didFinishWith: completion) }
    }

    /// Forwards the event to all monitors.
    public func sessionDidBecomeInvalid(_ session: URLSession, error: (any Error)?) {
        for monitor in monitors { monitor.sessionDidBecomeInvalid(session, error: error) }
    }
}
