extension URLError {
    /// The error with the scheme `ws` or `wss` in its URL, in place of the scheme that was sent.
    var withSocketScheme: URLError {
        guard let url = userInfo[NSURLErrorFailingURLErrorKey] as? URL,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return self }
        switch parts.scheme {
        case "http": parts.scheme = "ws"
        case "https": parts.scheme = "wss"
        default: return self
        }
        guard let next = parts.url else { return self }
        var info = userInfo
        info[NSURLErrorFailingURLErrorKey] = next
        info["NSErrorFailingURLStringKey"] = next.absoluteString
        return URLError(code, userInfo: info)
    }
}
