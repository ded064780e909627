import Foundation

extension StringResponseSerializer: Codable {
    private enum Key: CodingKey {
        case validation, maximumBytes, encoding, allowsLossyConversion
    }

    /// Decodes a serializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            encoding: try container.decodeRawIfPresent(String.Encoding.self, forKey: .encoding),
            allowsLossyConversion: try container.decode(Bool.self, forKey: .allowsLossyConversion),
            validation: try container.decode(Validation.self, forKey: .validation),
            maximumBytes: try container.decodeIfPresent(Int.self, forKey: .maximumBytes)
        )
    }

    /// Encodes all settings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeRawIfPresent(encoding, forKey: .encoding)
        try container.encode(allowsLossyConversion, forKey: .allowsLossyConversion)
        try container.encode(validation, forKey: .validation)
        try container.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
    }
}
