import FerrySession

extension URLRequest {
    /// The request's URL.
    ///
    /// Ask before any change: Foundation traps on Linux when it copies a request without a URL.
    @discardableResult
    func requiredURL() throws -> URL {
        guard let url else {
            throw RequestSerializationError(.invalidURL, reason: "The request has no URL.")
        }
        return url
    }

    /// Whether the request carries a body already.
    var hasBody: Bool { httpBody != nil || httpBodyStream != nil }

    /// Sets the body, and its type unless the request names one.
    mutating func setBody(_ body: Data, contentType: String) throws {
        try addMissingHeaders([.contentType(contentType)])
        httpBody = body
    }
}
