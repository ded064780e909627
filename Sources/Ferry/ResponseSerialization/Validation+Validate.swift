import Foundation

extension Validation {
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
        public var isValid: Bool {
            if case .valid = self { true } else { false }
        }

        /// The validation error, or `nil` if there is none.
        public var error: NetworkError? {
            if case .invalid(let error) = self { error } else { nil }
        }
    }

    /// Checks whether a response is acceptable.
    ///
    /// Both the status code and the content type are always checked. If both checks fail, the error is the one for the
    /// status code, with the one for the content type as its underlying error. A response that is not HTTP is valid.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - data: The response's body; `nil` is treated as empty.
    /// - Returns: Whether the response is acceptable, and the error if it is not.
    public func validate(response: URLResponse?, data: Data?) -> Outcome {
        guard let response = response as? HTTPURLResponse else { return .valid }
        let type = response.contentType
        let isEmpty = data?.isEmpty ?? true
        let hasRightType = accepts(contentType: type) || (type == nil && isEmpty)
        let hasRightStatus = acceptableStatusCodes?.contains(response.statusCode) ?? true
        if hasRightType, hasRightStatus { return .valid }
        var error: NetworkError?
        if !hasRightType, !isEmpty {
            error = Self.contentTypeError(acceptableContentTypes ?? [], response: response, data: data)
        }
        if !hasRightStatus {
            error = Self.statusError(response: response, data: data, underlying: error)
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

    private static func contentTypeError(
        _ acceptable: Set<String>,
        response: HTTPURLResponse,
        data: Data?
    ) -> NetworkError {
        let received = response.contentType ?? "none"
        let accepted = acceptable.sorted().joined(separator: ", ")
        return NetworkError(
            .unacceptableContentType,
            message: "Request failed: unacceptable content-type: \(received) (acceptable: \(accepted))",
            response: response,
            data: data,
            acceptableContentTypes: acceptable
        )
    }

    private static func statusError(
        response: HTTPURLResponse,
        data: Data?,
        underlying: NetworkError?
    ) -> NetworkError {
        let phrase = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
        return NetworkError(
            .unacceptableStatusCode,
            message: "Request failed: \(phrase) (\(response.statusCode))",
            response: response,
            data: data,
            underlyingError: underlying
        )
    }
}
