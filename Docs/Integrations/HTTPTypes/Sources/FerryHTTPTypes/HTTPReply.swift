import Ferry
import HTTPTypes

/// A response of HTTPTypes with its body, and the session's own response.
public struct HTTPReply<Body: Sendable>: Sendable {
    /// The status and the header fields, in the order received; fields of the same name stay separate.
    public let response: HTTPResponse
    /// The body.
    public let body: Body
    /// The response as the session has delivered it, with the URL after redirects.
    public let urlResponse: HTTPURLResponse

    /// Creates a reply from a session's response and its body.
    ///
    /// - Throws: ``HTTPTypesError`` if the response is not an HTTP response, or cannot be converted.
    public init(_ response: URLResponse?, body: Body) throws(HTTPTypesError) {
        guard let http = response as? HTTPURLResponse else { throw .notHTTP(response?.url) }
        self.response = try HTTPResponse(http)
        self.body = body
        urlResponse = http
    }

    /// The fields that were received after the body, in order; complete when the body has been read to its end.
    ///
    /// Many servers send them only to requests with the field `TE: trailers`.
    ///
    /// - Throws: ``HTTPTypesError`` for a name or value that HTTPTypes would refuse or change.
    public var trailerFields: HTTPFields { get throws(HTTPTypesError) { try HTTPFields(urlResponse.trailerFields) } }
}

extension HTTPReply {
    /// Creates a reply from a response of a manager.
    ///
    /// - Throws: The error of the response, a `NetworkError`; or ``HTTPTypesError``.
    public init(_ response: TaskResponse<Body>) throws {
        try self.init(response.response, body: response.get())
    }
}

extension HTTPResponse {
    /// Creates a response of HTTPTypes from a session's response.
    ///
    /// A `CurlSession` keeps the order of the fields, and each `Set-Cookie` stays a separate field. Other sessions join
    /// fields of the same name.
    ///
    /// - Parameter response: The response.
    /// - Throws: ``HTTPTypesError`` for a status, name or value that HTTPTypes would refuse or change.
    public init(_ response: HTTPURLResponse) throws(HTTPTypesError) {
        guard (100...999).contains(response.statusCode) else { throw .invalidStatus(response.statusCode) }
        self.init(status: Status(code: response.statusCode), headerFields: try HTTPFields(response.headerFields))
    }
}
