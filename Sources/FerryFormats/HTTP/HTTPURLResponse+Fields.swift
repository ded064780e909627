extension HTTPURLResponse {
    /// The header fields in the order in which they were received; fields with the same name are not joined.
    ///
    /// `allHeaderFields` joins the values of a name with `", "`, after which several `Set-Cookie` fields cannot be
    /// separated (RFC 9110, section 5.3). If the response is not one of a `CurlSession`, there is one joined field for
    /// each name, sorted by name.
    public var headerFields: HTTPHeaders {
        if let fields = receivedFields { return HTTPHeaders(fields.map { HTTPHeader($0.name, $0.value) }) }
        var joined: [String: String] = [:]
        for (name, value) in allHeaderFields { joined["\(name)"] = "\(value)" }
        return HTTPHeaders(joined)
    }

    /// The fields that were received after the body, in order (RFC 9110, section 6.5); complete when the task is.
    ///
    /// Many servers send them only to requests with the field `TE: trailers`. They are never part of
    /// ``headerFields``, are not stored in the cache, and are empty if the response is not one of a `CurlSession`.
    public var trailerFields: HTTPHeaders { HTTPHeaders(receivedTrailers.map { HTTPHeader($0.name, $0.value) }) }
}

extension TaskResponse {
    /// The header fields in the order in which they were received; see `HTTPURLResponse.headerFields`.
    public var headerFields: HTTPHeaders { httpResponse?.headerFields ?? HTTPHeaders() }

    /// The fields that were received after the body; see `HTTPURLResponse.trailerFields`.
    public var trailerFields: HTTPHeaders { httpResponse?.trailerFields ?? HTTPHeaders() }
}
