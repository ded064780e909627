/// Makes WebSocket tasks that fail.
///
/// FoundationNetworking's class cannot be subclassed to any use: `send` and `receive` are closed to overriding, and trap
/// without a session of its own. So a task of an inert session stands in, whose URL has a scheme that no libcurl knows:
/// nothing is ever sent, and no number of it can be mistaken for a task of the session that was asked.
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
