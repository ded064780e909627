import FerrySession

/// What is decided about a response before its body is decoded.
package struct BodyCheck {
    /// The body to decode; nil if there is none or it must not be decoded.
    package let body: Data?

    /// What is wrong so far.
    package let error: NetworkError?

    private let response: HTTPURLResponse?
    private let request: URLRequest?

    /// Validates a response and measures its body.
    ///
    /// An unacceptable status code alone does not keep a body from being decoded; an unacceptable content type and too
    /// large a size do. An empty body has nothing to decode.
    package init(
        _ serializer: some ValidatingResponseSerializer,
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) {
        self.request = request
        self.response = response as? HTTPURLResponse
        let invalid = serializer.validation.validate(response: response, data: data).error
        if let data, let limit = serializer.maximumBytes, data.count > limit {
            body = nil
            error = NetworkError(
                .responseTooLarge,
                message: "The body has \(data.count) bytes, more than the limit of \(limit)",
                failingURL: response?.url ?? request?.url,
                response: self.response,
                underlyingError: invalid
            )
        } else {
            let isRefused = data?.isEmpty != false || invalid?.contains(.unacceptableContentType) == true
            body = isRefused ? nil : data
            error = invalid
        }
    }

    /// An error in decoding, with the validation error underneath it if there is one.
    func decodingError(_ what: String, _ cause: (any Error)? = nil) -> NetworkError {
        if let known = cause as? NetworkError { return known.onTop(of: error) }
        return NetworkError(
            .decodingFailed,
            message: what,
            failingURL: response?.url ?? request?.url,
            response: response,
            data: body,
            underlyingError: error ?? cause,
            decodingError: cause
        )
    }

    /// Decodes the body if there is one that may be decoded.
    package func decode<Output>(_ name: String, _ decode: (Data) throws -> Output?) -> SerializedResponse<Output> {
        guard let body else { return SerializedResponse(error: error) }
        do {
            return SerializedResponse(value: try decode(body), error: error)
        } catch {
            return SerializedResponse(error: decodingError("The body is not \(name): \(Self.reason(error))", error))
        }
    }

    /// What an error says about itself.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as DecodingError: error.sentence
        case let error as any LocalizedError: error.errorDescription ?? "\(error)"
        case let error where type(of: error) == NSError.self: error.localizedDescription
        default: "\(error)"
        }
    }
}

extension NetworkError {
    /// The same error with another one at the end of its chain.
    ///
    /// AFNetworking: `AFErrorWithUnderlyingError`.
    func onTop(of underlying: NetworkError?) -> NetworkError {
        guard let underlying, underlyingError == nil else { return self }
        var copy = self
        copy.underlyingError = underlying
        return copy
    }
}
