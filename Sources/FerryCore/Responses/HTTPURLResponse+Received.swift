extension HTTPURLResponse {
    /// The header fields in the order in which they were received, or `nil` if the response is not one of a
    /// `CurlSession`.
    package var receivedFields: [(name: String, value: String)]? {
        (self as? CurlHTTPResponse)?.fields?.map { ($0.name, $0.value) }
    }

    /// The version of the protocol, such as `HTTP/1.1`, or `nil` if the response is not one of a `CurlSession`.
    package var receivedVersion: String? { (self as? CurlHTTPResponse)?.version }

    /// The fields that were received after the body.
    package var receivedTrailers: [(name: String, value: String)] {
        (self as? CurlHTTPResponse)?.trailers.withLock { $0 }.map { ($0.name, $0.value) } ?? []
    }
}
