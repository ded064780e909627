import Foundation

extension ImageDataResponseSerializer: Codable where Output == Data {
    private enum Key: CodingKey {
        case validation, maximumBytes
    }

    /// Decodes a serializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            validation: try container.decode(Validation.self, forKey: .validation),
            maximumBytes: try container.decodeIfPresent(Int.self, forKey: .maximumBytes)
        )
    }

    /// Encodes all settings.
    ///
    /// - Throws: `EncodingError` if there is a decoding closure, which cannot be archived.
    public func encode(to encoder: any Encoder) throws {
        guard isArchivable else { throw EncodingError.code(self, "the decoder of an image serializer", at: encoder) }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(validation, forKey: .validation)
        try container.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
    }
}

extension EncodingError {
    /// Returns the error for a value that has a closure and cannot be archived.
    static func code(_ value: Any, _ what: String, at encoder: any Encoder) -> EncodingError {
        let context = Context(codingPath: encoder.codingPath, debugDescription: "Cannot archive \(what)")
        return .invalidValue(value, context)
    }
}
