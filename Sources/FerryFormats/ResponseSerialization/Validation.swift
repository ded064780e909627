/// The acceptable status codes and content types of a response.
///
/// AFNetworking: `AFHTTPResponseSerializer.validateResponse`.
public struct Validation: Sendable, Hashable, Codable {
    /// The acceptable status codes; `nil` accepts all.
    ///
    /// 200 to 299 by default.
    public var acceptableStatusCodes: Set<Int>?

    /// The acceptable content types, without parameters; `nil` accepts all.
    ///
    /// All by default. `image/*` accepts every subtype of `image`, `application/*+json` every subtype with the suffix
    /// (RFC 6839), and `*/*` every response that has a content type.
    public var acceptableContentTypes: Set<String>?

    /// Creates a validation of the given status codes and content types; `nil` accepts all.
    public init(statusCodes: Set<Int>? = Validation.success, contentTypes: Set<String>? = nil) {
        acceptableStatusCodes = statusCodes
        acceptableContentTypes = contentTypes
    }

    /// The successful status codes, 200 to 299 (RFC 9110, section 15.3).
    public static let success = Set(200..<300)

    /// A validation that accepts every response.
    public static let none = Validation(statusCodes: nil)

    /// The result of a validation.
    public enum Outcome: Sendable {
        /// The response is acceptable.
        case valid

        /// The response is not acceptable.
        ///
        /// The error is `nil` if only the content type is not acceptable and the body is empty: nothing is lost in that
        /// case, and responses to HEAD requests depend on it.
        case invalid(NetworkError?)

        /// A Boolean value that indicates whether the response is acceptable.
        public var isValid: Bool { if case .valid = self { true } else { false } }

        /// The validation error, or `nil` if there is none.
        public var error: NetworkError? { if case .invalid(let error) = self { error } else { nil } }
    }

    /// Checks whether a response is acceptable.
    ///
    /// Both the status code and the content type are always checked. If both checks fail, the error is the one for the
    /// status code, with the one for the content type as its underlying error. A response that is not HTTP is valid.
    ///
    /// - Parameters:
    ///   - request: The request, whose method the error names.
    ///   - response: The response.
    ///   - data: The response's body; `nil` is treated as empty.
    /// - Returns: Whether the response is acceptable, and the error if it is not.
    public func validate(request: URLRequest? = nil, response: URLResponse?, data: Data?) -> Outcome {
        validate(TaskResponse<Never>(request: request, response: response, data: data))
    }

    /// Checks whether a response is acceptable; see ``validate(request:response:data:)``.
    public func validate(_ received: TaskResponse<Never>) -> Outcome {
        // The response object is made only for an error.
        guard let status = received.statusCode else { return .valid }
        let (type, data) = (received.contentType, received.data)
        let isEmpty = data?.isEmpty ?? true
        let hasRightType = accepts(contentType: type) || (type == nil && isEmpty)
        let hasRightStatus = acceptableStatusCodes?.contains(status) ?? true
        if hasRightType && hasRightStatus { return .valid }
        guard let response = received.httpResponse else { return .valid }
        let call = response.call(of: received.request).map { " for \($0)" } ?? ""
        var error: NetworkError?
        if !hasRightType, !isEmpty {
            let acceptable = acceptableContentTypes ?? []
            let list = acceptable.sorted().joined(separator: ", ")
            error = NetworkError(
                .unacceptableContentType,
                message: "Request failed: unacceptable content-type: \(type ?? "none") (acceptable: \(list))\(call)"
                    + WebPage.note(on: data, contentType: type),
                response: response,
                data: data,
                acceptableContentTypes: acceptable
            )
        }
        if !hasRightStatus {
            let phrase = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
            error = NetworkError(
                .unacceptableStatusCode,
                message: "Request failed: \(phrase) (\(response.statusCode))\(call)"
                    + (response.saysHTTPSIsExpected(data) ? "; the server expects https:// on this port" : ""),
                response: response,
                data: data,
                underlyingError: error
            )
        }
        return .invalid(error)
    }

    /// Returns whether a content type is acceptable.
    ///
    /// - Parameter contentType: A content type without parameters; `nil` if the response has none.
    /// - Returns: `true` if the content type matches one of the acceptable types, or if all types are acceptable.
    public func accepts(contentType: String?) -> Bool {
        guard let acceptableContentTypes else { return true }
        // A type has at most 255 bytes (RFC 6838, section 4.2), and hashing hostile text takes quadratic time.
        guard let contentType, contentType.utf8.count <= 255 else { return false }
        if acceptableContentTypes.contains(contentType) { return true }
        let type = contentType.lowercased()
        return acceptableContentTypes.contains { ContentTypePattern($0).matches(type) }
    }
}

extension HTTPURLResponse {
    /// Returns the method and URL of the call for a message, such as `GET http://example.com/`.
    func call(of request: URLRequest?) -> String? {
        guard let url = url ?? request?.url else { return nil }
        return "\(request?.httpMethod.map { "\($0) " } ?? "")\(url.presentableText)"
    }

    /// Whether the body says, in the words of nginx, Apache, Go or Tomcat, that the port is one for TLS.
    fileprivate func saysHTTPSIsExpected(_ body: Data?) -> Bool {
        guard statusCode == 400, let body else { return false }
        let text = String(decoding: body.prefix(1_024), as: UTF8.self)
        let words = [
            "sent to HTTPS port", "HTTP request to an HTTPS server", "to an SSL-enabled server", "requires TLS",
        ]
        return words.contains { text.contains($0) }
    }
}

/// A content type that may have a wildcard for the type, the subtype, or the subtype before a suffix.
package struct ContentTypePattern {
    private let text: String

    package init(_ text: String) {
        self.text = text.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// Returns whether a content type, given in lower case, matches the pattern.
    package func matches(_ type: String) -> Bool {
        // Compare bytes: comparing strings takes quadratic time if there are long runs of combining marks.
        guard let star = text.utf8.firstIndex(of: UInt8(ascii: "*")) else { return text.utf8.elementsEqual(type.utf8) }
        if text == "*/*" || text == "*" { return true }
        let head = text.utf8[..<star]
        let tail = text.utf8[text.utf8.index(after: star)...]
        return type.utf8.count > head.count + tail.count && type.utf8.starts(with: head)
            && type.utf8.suffix(tail.count).elementsEqual(tail)
    }
}
