extension HTTPURLResponse {
    /// The header fields in the order in which they were received, or `nil` if the response is not one of a
    /// `CurlSession`.
    package var receivedFields: [(name: String, value: String)]? {
        (self as? CurlHTTPResponse)?.fields?.map { ($0.name, $0.value) }
    }
}
