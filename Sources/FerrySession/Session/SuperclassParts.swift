internal import CFerry

/// The libcurl multi handle that FoundationNetworking makes for a session's superclass and that Ferry never uses.
enum SystemMultiHandle {
    /// The number that the next descriptor of the process will get.
    static var nextDescriptor: Int32 { ferry_lowest_free_descriptor() }

    /// Keeps child processes from inheriting the descriptors of a new session's handle, from a first one on.
    ///
    /// FoundationNetworking does not expose the handle, so it is found by reflection. If a later version has another
    /// layout, two sockets of each session are inherited, and nothing else changes.
    static func closeOnExec(_ session: URLSession, since first: Int32) {
        var mirror: Mirror? = Mirror(reflecting: session)
        while let current = mirror, current.subjectType != URLSession.self { mirror = current.superclassMirror }
        guard let wrapper = mirror?.children.first(where: { $0.label == "multiHandle" })?.value,
            let handle = Mirror(reflecting: wrapper).children.first(where: { $0.label == "rawHandle" })?.value
                as? UnsafeMutableRawPointer
        else { return }
        ferry_multi_close_on_exec(handle, first)
    }
}

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
