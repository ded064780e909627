import Ferry

/// Reads the answers of a language model token by token.
///
/// The service answers a POST with server-sent events, whose data are objects in JSON, and ends with `[DONE]`.
public struct TokenStream: Sendable {
    private struct Question: Encodable {
        let prompt: String
        let stream = true
    }

    private struct Piece: Decodable {
        let token: String
    }

    private let session: CurlSession
    private let url: URL

    /// Describes a service.
    public init(_ url: URL, session: CurlSession) { (self.url, self.session) = (url, session) }

    /// Returns the tokens of an answer as they arrive.
    ///
    /// The answer is given up when the sequence is released or the Swift task that reads is cancelled.
    ///
    /// - Parameter prompt: The question.
    /// - Returns: The tokens.
    public func answer(to prompt: String) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            let reader = Task {
                do {
                    var request = URLRequest(url: url)
                    request.httpMethod = "POST"
                    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                    request.httpBody = try JSONEncoder().encode(Question(prompt: prompt))
                    let (bytes, response) = try await session.bytes(for: request)
                    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
                    for try await event in bytes.events {
                        if event.data == "[DONE]" { break }
                        let piece = try JSONDecoder().decode(Piece.self, from: Data(event.data.utf8))
                        continuation.yield(piece.token)
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in reader.cancel() }
        }
    }
}
