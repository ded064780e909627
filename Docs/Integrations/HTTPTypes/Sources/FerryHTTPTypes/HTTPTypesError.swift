import Ferry

/// The reason why a request or a response cannot be converted between HTTPTypes and Foundation.
public enum HTTPTypesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A `CONNECT` request, which names no resource (RFC 9110, section 9.3.6).
    case connectIsNotSupported
    /// A request without the pseudo field with this name, such as `:authority`.
    case missingPseudoField(String)
    /// A pseudo field whose value is not allowed.
    case invalidPseudoField(String, value: String)
    /// A method that is not a token (RFC 9110, section 9.1).
    case invalidMethod(String)
    /// A request without a URL, or with one that is not an absolute `http` or `https` URL.
    case invalidURL(String)
    /// A URL with user information, which a request of HTTPTypes cannot contain.
    case userInformationInURL(host: String)
    /// A field name that is not a token (RFC 9110, section 5.1).
    case invalidFieldName(String)
    /// A field whose value has characters that are not allowed, or is not UTF-8 text; the value may be secret.
    case invalidFieldValue(name: String)
    /// More fields than HTTPTypes can hold.
    case tooManyFields(Int)
    /// A status code that does not have three digits.
    case invalidStatus(Int)
    /// A response without HTTP, such as the response to a `data:` URL.
    case notHTTP(URL?)

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .connectIsNotSupported: "A CONNECT request cannot be sent by a session"
        case .missingPseudoField(let name): "The request has no \(name)"
        case .invalidPseudoField(let name, let value): "The value of \(name) is not allowed: \(value)"
        case .invalidMethod(let method): "The method is not a token: \(method)"
        case .invalidURL(let url): "The request needs an absolute http or https URL, and has: \(url)"
        case .userInformationInURL(let host): "The URL contains a user or password for \(host): send them as a field"
        case .invalidFieldName(let name): "The name of a field is not a token: \(name)"
        case .invalidFieldValue(let name): "The value of the field \(name) is not allowed"
        case .tooManyFields(let count): "There are \(count) fields, which is more than HTTPTypes can hold"
        case .invalidStatus(let status): "The status code does not have three digits: \(status)"
        case .notHTTP(let url): "The response is not one of HTTP: \(url?.scheme ?? "no URL")"
        }
    }
}
