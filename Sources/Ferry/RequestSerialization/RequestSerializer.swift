import FerrySession

/// Encodes parameters into a request: its URL, or its body and `Content-Type`.
///
/// Serializers are values: one may be used from any number of threads at once. Ready-made ones are ``form``, ``json``
/// and ``propertyList``.
public protocol RequestSerializer: Sendable {
    /// What ``makeRequest(method:url:parameters:headers:)`` sets on requests; by default nothing.
    var options: RequestOptions { get }

    /// A copy of the request with the parameters encoded.
    ///
    /// - Parameters:
    ///   - request: The request; what it carries already is kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or an error of the serializer's own.
    func serialize(_ request: URLRequest, parameters: Parameters?) throws -> URLRequest
}

extension RequestSerializer {
    /// Options that set nothing: no default headers either.
    public var options: RequestOptions { RequestOptions { options in options.headers = HTTPHeaders() } }
}
