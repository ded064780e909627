import Foundation

extension URLRequest {
    /// Returns the request's URL, or throws if it has none.
    ///
    /// Call this before any change to the request: Foundation traps on Linux when it copies a request without a URL.
    @discardableResult
    func requiredURL() throws -> URL {
        guard let url else {
            throw RequestSerializationError(.invalidURL, reason: "The request has no URL.")
        }
        return url
    }

    /// Whether the request has a body, as data or as a stream.
    var hasBody: Bool { httpBody != nil || httpBodyStream != nil }

    /// Sets the body, and also the `Content-Type` unless the request has one.
    mutating func setBody(_ body: Data, contentType: String) throws {
        try addMissingHeaders([.contentType(contentType)])
        httpBody = body
    }
}
