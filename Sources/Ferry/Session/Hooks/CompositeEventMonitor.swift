import FerrySession

/// Several event monitors as one; each is told everything, in order.
public struct CompositeEventMonitor: EventMonitor {
    /// The monitors.
    public let monitors: [any EventMonitor]

    /// Makes one monitor of several.
    public init(_ monitors: [any EventMonitor]) {
        self.monitors = monitors
    }

    /// Tells all monitors.
    public func taskDidCreate(_ task: URLSessionTask) {
        for monitor in monitors { monitor.taskDidCreate(task) }
    }

    /// Tells all monitors.
    public func taskDidResume(_ task: URLSessionTask) {
        for monitor in monitors { monitor.taskDidResume(task) }
    }

    /// Tells all monitors.
    public func taskDidSuspend(_ task: URLSessionTask) {
        for monitor in monitors { monitor.taskDidSuspend(task) }
    }

    /// Tells all monitors.
    public func task(_ task: URLSessionTask, didSend byteCount: Int64, of totalByteCount: Int64?) {
        for monitor in monitors { monitor.task(task, didSend: byteCount, of: totalByteCount) }
    }

    /// Tells all monitors.
    public func task(_ task: URLSessionTask, didRedirectBy response: HTTPURLResponse, to request: URLRequest?) {
        for monitor in monitors { monitor.task(task, didRedirectBy: response, to: request) }
    }

    /// Tells all monitors.
    public func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {
        for monitor in monitors { monitor.task(task, didReceive: challenge) }
    }

    /// Tells all monitors.
    public func task(_ task: URLSessionTask, didReceive response: URLResponse) {
        for monitor in monitors { monitor.task(task, didReceive: response) }
    }

    /// Tells all monitors.
    public func task(_ task: URLSessionTask, didReceive data: Data) {
        for monitor in monitors { monitor.task(task, didReceive: data) }
    }

    /// Tells all monitors.
    public func task(_ task: URLSessionTask, didCompleteWith error: (any Error)?) {
        for monitor in monitors { monitor.task(task, didCompleteWith: error) }
    }

    /// Tells all monitors.
    public func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion) {
        for monitor in monitors { monitor.task(task, didFinishWith: completion) }
    }

    /// Tells all monitors.
    public func sessionDidBecomeInvalid(_ session: URLSession, error: (any Error)?) {
        for monitor in monitors { monitor.sessionDidBecomeInvalid(session, error: error) }
    }
}
