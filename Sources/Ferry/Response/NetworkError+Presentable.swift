import FerrySession

// CurlSession's errors and responses have no user information in their URLs, but those of a system session may.

extension URLError {
    /// The error with a URL without user and password.
    var presentable: URLError {
        guard let url = userInfo[NSURLErrorFailingURLErrorKey] as? URL, url.presentable != url else { return self }
        var info = userInfo
        info[NSURLErrorFailingURLErrorKey] = url.presentable
        info["NSErrorFailingURLStringKey"] = url.presentable.absoluteString
        return URLError(code, userInfo: info)
    }
}

extension HTTPURLResponse {
    /// The response with a URL without user and password.
    var presentable: HTTPURLResponse {
        guard let url, url.presentable != url else { return self }
        var fields: [String: String] = [:]
        for (name, value) in allHeaderFields { fields["\(name)"] = "\(value)" }
        let copy = HTTPURLResponse(
            url: url.presentable,
            statusCode: statusCode,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        )
        // The initializer is declared as failable, but does not fail for these arguments.
        return copy ?? self
    }
}
