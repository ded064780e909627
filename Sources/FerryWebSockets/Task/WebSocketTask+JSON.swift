extension WebSocketTask {
    /// Sends a value as a text message in JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder.
    /// - Throws: A ``WebSocketError`` with the code `coding` if the value cannot be encoded, or the errors of
    ///   ``send(_:)``.
    public func send(json value: some Encodable, encoder: JSONEncoder = JSONEncoder()) async throws {
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            let text = "The value cannot be encoded as JSON: \(BodyCheck.reason(error))"
            throw WebSocketError(.coding, text, underlyingError: (error as? EncodingError)?.withoutValue ?? error)
        }
        try await send(.string(String(decoding: data, as: UTF8.self)))
    }

    /// Returns the value of the next message, a text or binary message in JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder.
    /// - Returns: The value.
    /// - Throws: A ``WebSocketError`` with the code `coding` if the message cannot be decoded, after which others can
    ///   be received, or the errors of ``receive()``.
    public func receive<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> Value {
        let message = try await receive()
        do {
            return try decoder.decodeStrictly(type, from: message.data)
        } catch {
            let text = "A message cannot be decoded as \(type): \(BodyCheck.reason(error))"
            throw WebSocketError(.coding, text, underlyingError: error)
        }
    }
}

extension WebSocketTask.Message {
    /// The bytes of the message; those of a text are UTF-8.
    public var data: Data {
        switch self {
        case .data(let data): data
        case .string(let text): Data(text.utf8)
        }
    }
}
