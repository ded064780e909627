import Ferry
import HTTPTypes

/// The names differ from `URLSession`'s, because HTTPTypesFoundation has functions with those names that take an
/// `HTTPRequest`. They work with a `CurlSession` too, but join fields of the same name.
extension CurlSession {
    /// Sends a request and returns its response with the body in memory.
    ///
    /// Cancelling the Swift task cancels the transfer, as in all of these functions.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The body of the request; `nil` for none.
    /// - Returns: The response, whatever its status is.
    /// - Throws: ``HTTPTypesError`` for a request or response that cannot be converted; a `URLError`.
    public func reply(to request: HTTPRequest, body: Data? = nil) async throws -> HTTPReply<Data> {
        let (data, response) = try await data(for: URLRequest(request, body: body))
        return try HTTPReply(response, body: data)
    }

    /// Sends a request with a file as its body, and returns its response with the body in memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileURL: The file, which is read while it is sent.
    /// - Returns: The response, whatever its status is.
    /// - Throws: ``HTTPTypesError`` for a request or response that cannot be converted; a `URLError`.
    public func reply(to request: HTTPRequest, fromFile fileURL: URL) async throws -> HTTPReply<Data> {
        let (data, response) = try await upload(for: URLRequest(request), fromFile: fileURL)
        return try HTTPReply(response, body: data)
    }

    /// Sends a request and returns as soon as the response head has arrived; the body is read from the sequence.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The body of the request; `nil` for none.
    /// - Returns: The response with its body as it arrives: bytes, or `chunks`.
    /// - Throws: ``HTTPTypesError`` for a request or response that cannot be converted; a `URLError`.
    public func streamedReply(to request: HTTPRequest, body: Data? = nil) async throws -> HTTPReply<Bytes> {
        let (bytes, response) = try await bytes(for: URLRequest(request, body: body))
        return try HTTPReply(response, body: bytes)
    }
}

extension SessionManager {
    /// Sends a request and returns its response with the body in memory.
    ///
    /// - Parameters:
    ///   - request: The request, with all of its pseudo fields: the base URL is not used.
    ///   - body: The body of the request; `nil` for none.
    /// - Returns: The response.
    /// - Throws: ``HTTPTypesError`` for a request or response that cannot be converted; a `NetworkError`, also for a
    ///   status other than 200 to 299.
    public func reply(to request: HTTPRequest, body: Data? = nil) async throws -> HTTPReply<Data> {
        try await reply(to: request, body: body, serializer: .data)
    }

    /// Sends a request and returns its response with the decoded body.
    ///
    /// - Parameters:
    ///   - request: The request, with all of its pseudo fields: the base URL is not used.
    ///   - body: The body of the request; `nil` for none.
    ///   - serializer: Validates and decodes the response.
    /// - Returns: The response with the value of the serializer.
    /// - Throws: ``HTTPTypesError`` for a request or response that cannot be converted; a `NetworkError`.
    public func reply<Serializer: ResponseSerializer>(
        to request: HTTPRequest,
        body: Data? = nil,
        serializer: Serializer
    ) async throws -> HTTPReply<Serializer.Output> {
        try await HTTPReply(response(for: URLRequest(request, body: body), serializer: serializer))
    }

    /// Sends a request with a file as its body, and returns its response with the decoded body.
    ///
    /// - Parameters:
    ///   - request: The request, with all of its pseudo fields: the base URL is not used.
    ///   - fileURL: The file, which is read while it is sent.
    ///   - serializer: Validates and decodes the response.
    /// - Returns: The response with the value of the serializer.
    /// - Throws: ``HTTPTypesError`` for a request or response that cannot be converted; a `NetworkError`.
    public func reply<Serializer: ResponseSerializer>(
        to request: HTTPRequest,
        fromFile fileURL: URL,
        serializer: Serializer
    ) async throws -> HTTPReply<Serializer.Output> {
        try await HTTPReply(response(for: URLRequest(request), fromFile: fileURL, serializer: serializer))
    }

    /// Returns the body of the response to a request, piece by piece as it arrives.
    ///
    /// The request is sent when the first piece is read.
    ///
    /// - Parameters:
    ///   - request: The request, with all of its pseudo fields: the base URL is not used.
    ///   - body: The body of the request; `nil` for none.
    ///   - validation: The acceptable status codes and content types.
    ///   - onResponse: Called on the `operationQueue` with a response that has passed validation, or with the error if
    ///     it cannot be converted.
    /// - Returns: A sequence of pieces.
    /// - Throws: ``HTTPTypesError`` for a request that cannot be converted.
    public func stream(
        _ request: HTTPRequest,
        body: Data? = nil,
        validation: Validation = Validation(),
        onResponse: (@Sendable (Result<HTTPResponse, HTTPTypesError>) -> Void)? = nil
    ) throws(HTTPTypesError) -> DataStream {
        stream(try URLRequest(request, body: body), validation: validation) { response in
            guard let onResponse else { return }
            do throws(HTTPTypesError) {
                onResponse(.success(try HTTPResponse(response)))
            } catch {
                onResponse(.failure(error))
            }
        }
    }
}
