import Ferry

/// Reads the answers of a language model token by token.
///
/// The service responds to a POST with server-sent events, whose data are JSON objects, and ends with `[DONE]`.
public struct TokenStream: Sendable {
    private struct Question: Encodable {
        let prompt: String
        let stream = true
    }

    private struct Piece: Decodable {
        let token: String
    }

    /// The reason why an answer is incomplete.
    public enum Failure: Error, Equatable {
        /// The service has sent an `error` event with these data.
        case service(String)
        /// The connection was closed before `[DONE]`, so the tokens are only the beginning.
        case incomplete
    }

    private let manager: HTTPSessionManager
    private let url: URL

    /// Describes a service.
    public init(_ url: URL, configuration: URLSessionConfiguration = .default) {
        (manager, self.url) = (HTTPSessionManager(configuration: configuration), url)
        manager.requestSerializer = .json
    }

    /// Returns the tokens of an answer as they arrive.
    ///
    /// Releasing the sequence, or cancelling the Swift task that reads it, cancels the request. A response such as a
    /// 429 is thrown as a `NetworkError`, which contains the body.
    ///
    /// - Parameter prompt: The question.
    /// - Returns: The tokens.
    public func answer(to prompt: String) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            let reader = Task {
                do {
                    let request = Request.post(url.absoluteString).parameters(.encoding(Question(prompt: prompt)))
                    var isComplete = false
                    for try await event in manager.stream(request).events {
                        isComplete = event.data == "[DONE]"
                        if isComplete { break }
                        if event.type == "error" { throw Failure.service(event.data) }
                        let piece = try JSONDecoder().decode(Piece.self, from: Data(event.data.utf8))
                        continuation.yield(piece.token)
                    }
                    continuation.finish(throwing: isComplete ? nil : Failure.incomplete)
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in reader.cancel() }
        }
    }
}
