/// The checks of a response before its body is decoded: validation and size.
package struct BodyCheck {
    /// The body to decode; `nil` if it is missing, is empty or must not be decoded.
    package let body: Data?

    /// The error found by the checks, if any.
    package let error: NetworkError?

    /// The reason why a body that is not empty must not be decoded.
    var refusal: NetworkError? { body == nil && response.data?.isEmpty == false ? error : nil }

    private let response: TaskResponse<Never>

    /// Validates a response and checks the size of its body.
    ///
    /// A body is decoded in spite of an unacceptable status code, but not if the content type is unacceptable, the body
    /// is too large, or it is empty.
    package init(_ serializer: some ValidatingResponseSerializer, _ response: TaskResponse<Never>) {
        self.response = response
        let data = response.data
        let invalid = serializer.validation.validate(response).error
        if let data, let limit = serializer.maximumBodySize, data.count > limit {
            body = nil
            error = NetworkError(
                .responseTooLarge,
                message: "The body has \(data.count) bytes, more than the limit of \(limit)",
                failingURL: response.url,
                response: response.httpResponse,
                underlyingError: invalid
            )
        } else {
            let isRefused = data?.isEmpty != false || invalid?.contains(.unacceptableContentType) == true
            body = isRefused ? nil : data
            error = invalid
        }
    }

    /// Returns a decoding error, with the validation error, if any, as its underlying error.
    package func decodingError(_ what: String, _ cause: (any Error)? = nil) -> NetworkError {
        if let known = cause as? NetworkError { return known.onTop(of: error) }
        let call = response.httpResponse?.call(of: response.request).map { " (\($0))" } ?? ""
        let status = error?.contains(.unacceptableStatusCode) == true ? response.statusCode : nil
        return NetworkError(
            .decodingFailed,
            message: what + call + (status.map { "; the status is \($0)" } ?? "")
                + WebPage.note(on: body, contentType: response.contentType),
            failingURL: response.url,
            response: response.httpResponse,
            data: body,
            underlyingError: error ?? cause,
            decodingError: cause
        )
    }

    /// Decodes ``body`` if it is not `nil`, with `name` describing the expected format in error messages.
    package func decode<Output>(_ name: String, _ decode: (Data) throws -> Output?) -> SerializedResponse<Output> {
        guard let body else { return SerializedResponse(error: error) }
        do {
            return SerializedResponse(value: try decode(body), error: error)
        } catch {
            return SerializedResponse(error: decodingError("The body is not \(name): \(Self.reason(error))", error))
        }
    }

    /// Returns the description of an error for a message.
    package static func reason(_ error: any Error) -> String {
        switch error {
        case let error as DecodingError: error.sentence
        case let error as EncodingError: error.sentence
        case let error as any LocalizedError: error.errorDescription ?? "\(error)"
        case let error where type(of: error) == NSError.self: error.localizedDescription
        default: "\(error)"
        }
    }
}

extension NetworkError {
    /// Returns the error with another one as its underlying error, unless it already has one.
    ///
    /// AFNetworking: `AFErrorWithUnderlyingError`.
    package func onTop(of underlying: NetworkError?) -> NetworkError {
        guard let underlying, underlyingError == nil else { return self }
        var copy = self
        copy.underlyingError = underlying
        return copy
    }
}

extension DecodingError {
    /// A description of the error and its place, such as `user.tags[2]: expected String but found null`.
    package var sentence: String {
        switch self {
        case .typeMismatch(let type, let context):
            "\(context.place): expected \(type). \(context.debugDescription)"
        case .valueNotFound(let type, let context):
            "\(context.place): expected \(type) but found null"
        case .keyNotFound(let key, let context):
            "\(context.place): the key \"\(key.stringValue)\" is missing"
        case .dataCorrupted(let context):
            "\(context.place): \(context.debugDescription)\(context.cause)"
        @unknown default:
            "\(self)"
        }
    }
}

extension EncodingError {
    /// A description of the error and its place, without the value, which may be large or a secret.
    fileprivate var sentence: String {
        guard case .invalidValue(_, let context) = self else { return "a value cannot be encoded" }
        return "\(context.codingPath.place): \(context.debugDescription)"
    }

    /// The error with the type of the value in place of the value, which Swift prints with the error.
    package var withoutValue: EncodingError {
        guard case .invalidValue(let value, let context) = self, !(value is Any.Type) else { return self }
        return .invalidValue(type(of: value), context)
    }
}

extension [any CodingKey] {
    /// The coding path in Swift's notation, such as `user.tags[2]`.
    fileprivate var place: String {
        var path = ""
        for key in self {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path.isEmpty ? "at the top level" : path
    }
}

extension DecodingError.Context {
    fileprivate var place: String { codingPath.place }

    /// The parser's description of the error, in parentheses.
    fileprivate var cause: String {
        guard let underlyingError else { return "" }
        let details = (underlyingError as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
        return " (\(details ?? underlyingError.localizedDescription))"
    }
}
