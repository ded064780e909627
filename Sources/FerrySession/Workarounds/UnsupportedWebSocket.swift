// For FoundationNetworking of Swift 6.3, of whose WebSocket tasks `send` and `receive` cannot be overridden; only the
// compiler shows when they can. `SystemAsyncCallTests` checks that the tasks fail cleanly.

/// Makes WebSocket tasks that fail.
///
/// A usable subclass of FoundationNetworking's class is not possible: `send` and `receive` cannot be overridden, and
/// they trap without a session of its own. The task therefore belongs to an inert session, and its URL has a scheme
/// that libcurl does not support, so nothing is ever sent. Its identifier belongs to that session and cannot be
/// mistaken for one of the original session's.
enum UnsupportedWebSocket {
    static func task(with request: URLRequest) -> URLSessionWebSocketTask {
        let url = request.url?.presentable.absoluteString ?? ""
        var refused = request
        refused.url = URL(string: "ferry-unsupported:\(url)") ?? URL(fileURLWithPath: "/")
        return URLSession(configuration: CurlSessionSettings.inert).webSocketTask(with: refused)
    }
}
