/// The responses after which a connection of HTTP/1.1 carries no further request, though libcurl would keep it.
enum ReuseRule {
    /// Returns whether the connection may carry another request after a response.
    ///
    /// `owesBody` is whether the body that the request has announced was not sent, since the server has answered
    /// without the `100 Continue` that was waited for: the server may take the next request for that body (RFC 9112,
    /// section 9.3). `hasExcess` is whether bytes have come after a response that has no body.
    static func mayReuse(after head: ResponseHead, owesBody: Bool, hasExcess: () -> Bool) -> Bool {
        // A server of HTTP/1.1 that names another version gets no further request on the connection.
        if owesBody || !head.version.hasPrefix("HTTP/1.") { return false }
        let (length, coding) = (head.value("Content-Length"), head.value("Transfer-Encoding"))
        // RFC 9112, section 6.1.
        if coding != nil, head.version == "HTTP/1.0" { return false }
        // Both fields are forbidden (RFC 9110, section 8.6, and RFC 9112, section 6.1), and a body may follow.
        if head.status == 204, coding != nil || length.map({ $0 != "0" }) == true { return false }
        return !hasExcess()
    }

    /// Returns whether a response has no body (RFC 9112, section 6.3).
    static func isBodyless(_ head: ResponseHead, method: String) -> Bool {
        method == "HEAD" || head.status == 204 || head.status == 304
            || (head.value("Content-Length") == "0" && head.value("Transfer-Encoding") == nil)
    }
}
