extension URLError {
    /// An error of the URL loading system with what its reader needs: the URL, the reason, and the cause.
    ///
    /// The URL has no user information, and no text has any either; see ``Foundation/URL/presentable``.
    static func ferry(
        _ code: Code,
        url: URL?,
        _ message: String? = nil,
        underlying: (any Error)? = nil,
        posix number: Int32? = nil
    ) -> URLError {
        let cause = underlying ?? number.map { NSError(domain: NSPOSIXErrorDomain, code: Int($0)) }
        var info: [String: Any] = [:]
        var text = message ?? (underlying as? CurlSessionError)?.message ?? "\(code)"
        if let number { text += ": " + String(cString: strerror(number)) }
        info[NSLocalizedDescriptionKey] = text
        if let cause { info[NSUnderlyingErrorKey] = cause }
        if let url = url?.presentable {
            info[NSURLErrorFailingURLErrorKey] = url
            info["NSErrorFailingURLStringKey"] = url.absoluteString
        }
        return URLError(code, userInfo: info)
    }

    /// The error of a download that can be continued.
    func withResumeData(_ data: Data) -> URLError {
        var info = userInfo
        info[URLSessionDownloadTaskResumeData] = data
        return URLError(code, userInfo: info)
    }

    /// What a task completes with whose body was wanted as a stream in vain.
    static func ferryWithoutStream(url: URL?) -> URLError {
        let error = CurlSessionError(.bodyNotReplayable, "The request's body is wanted as a stream, and none was given")
        return .ferry(.requestBodyStreamExhausted, url: url, underlying: error)
    }

    /// What a task that was cancelled completes with.
    static func ferryCancelled(url: URL?) -> URLError {
        .ferry(.cancelled, url: url, "cancelled")
    }
}
