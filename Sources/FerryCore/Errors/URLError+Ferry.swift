extension URLError {
    /// The session's error that is the cause; `nil` if there is none.
    package var sessionCause: CurlSessionError? { userInfo[NSUnderlyingErrorKey] as? CurlSessionError }

    /// Returns an error with the URL, the reason and the cause.
    ///
    /// Neither the URL nor any text has secrets; see ``Foundation/URL/withoutSecrets``.
    package static func ferry(
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
        // Foundation on Linux prints the reason, and "(null)" without one.
        info[NSLocalizedFailureReasonErrorKey] = text
        if let cause { info[NSUnderlyingErrorKey] = cause }
        if let url = url?.withoutSecrets {
            info[NSURLErrorFailingURLErrorKey] = url
            info["NSErrorFailingURLStringKey"] = url.absoluteString
        }
        return URLError(code, userInfo: info)
    }

    /// Returns an error whose cause is a ``CurlSessionError``.
    package static func ferry(
        _ code: Code,
        url: URL?,
        reason: CurlSessionError.Code,
        _ message: String,
        curlCode: Int32? = nil
    ) -> URLError {
        .ferry(code, url: url, underlying: CurlSessionError(reason, message, curlCode: curlCode.map { Int($0) }))
    }

    /// Returns the error with resume data, for a download that can be continued.
    package func withResumeData(_ data: Data) -> URLError {
        var info = userInfo
        info[URLSessionDownloadTaskResumeData] = data
        return URLError(code, userInfo: info)
    }

    /// The error when a new body stream is needed and none is provided.
    package static func ferryWithoutStream(url: URL?) -> URLError {
        let text = "A new stream of the body is needed, and none was provided"
        return .ferry(.requestBodyStreamExhausted, url: url, reason: .bodyNotReplayable, text)
    }

    package static func ferryTooManyRedirects(url: URL?, limit: Int) -> URLError {
        .ferry(.httpTooManyRedirects, url: url, "There were too many redirects: the limit is \(limit)")
    }

    package static func ferryCancelled(url: URL?) -> URLError { .ferry(.cancelled, url: url, "cancelled") }
}
