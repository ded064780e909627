import FerrySession

extension Validation {
    /// What a validation found.
    public enum Outcome: Sendable {
        /// The response is acceptable.
        case valid

        /// The response is not acceptable.
        ///
        /// There is no error when the content type is wrong but the body is empty: nothing is lost by that, and answers
        /// to HEAD depend on it.
        case invalid(NetworkError?)

        /// Whether the response is acceptable.
        public var isValid: Bool {
            if case .valid = self { true } else { false }
        }

        /// What was wrong, if anything that matters was.
        public var error: NetworkError? {
            if case .invalid(let error) = self { error } else { nil }
        }
    }

    /// Checks a response.
    ///
    /// Both tests are always made. If both fail, the error is about the status code and the one about the content type
    /// is underneath it. A response that is not HTTP is valid.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - data: Its body; nil counts as empty.
    /// - Returns: Whether it is acceptable, and if not why.
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

    /// Says whether a content type is acceptable.
    ///
    /// - Parameter contentType: A content type without parameters; nil if the response has none.
    /// - Returns: Whether it is one of the acceptable ones.
    public func accepts(contentType: String?) -> Bool {
        guard let acceptableContentTypes else { return true }
        // No type has more than 255 bytes (RFC 6838, section 4.2), and hashing hostile text takes quadratic time.
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
