/// Makes WebSocket tasks that fail.
///
/// A usable subclass of FoundationNetworking's class is not possible: `send` and `receive` cannot be overridden, and
/// they trap without a session of its own. The task therefore belongs to an inert session, and its URL has a scheme
/// that libcurl does not support, so nothing is ever sent. Its identifier belongs to that session and cannot be
/// mistaken for one of the original session's.
enum UnsupportedWebSocket {
    private static let scheme = "ferry-unsupported"

    static func task(with request: URLRequest) -> URLSessionWebSocketTask {
        var refused = request
        refused.url =
            URL(string: "\(scheme):\(request.url?.presentable.absoluteString ?? "")") ?? URL(fileURLWithPath: "/")
        let session = URLSession(configuration: SessionSettings.inert)
        return session.webSocketTask(with: refused)
    }
}
