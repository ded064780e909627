/// Encodes and decodes Foundation's types by their raw values, because not all of them are `Codable`.
extension KeyedDecodingContainer {
    /// Decodes the value for a key, or nil if there is none; throws `DecodingError` for an unknown raw value.
    package func decodeRawIfPresent<Value: RawRepresentable>(_ type: Value.Type, forKey key: Key) throws -> Value?
    where Value.RawValue: Decodable {
        guard let raw = try decodeIfPresent(Value.RawValue.self, forKey: key) else { return nil }
        if let value = Value(rawValue: raw) { return value }
        throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(raw) is not a \(type)")
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value for a key, unless it is nil.
    package mutating func encodeRawIfPresent<Value: RawRepresentable>(_ value: Value?, forKey key: Key) throws
    where Value.RawValue: Encodable {
        try encodeIfPresent(value?.rawValue, forKey: key)
    }
}
