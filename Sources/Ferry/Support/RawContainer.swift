import FerrySession

/// Codes Foundation's types by their raw values, since they are not all `Codable` themselves.
extension KeyedDecodingContainer {
    /// The value at a key; nil if there is none.
    ///
    /// - Throws: `DecodingError` for a raw value that stands for nothing.
    func decodeRawIfPresent<Value: RawRepresentable>(_ type: Value.Type, forKey key: Key) throws -> Value?
    where Value.RawValue: Decodable {
        guard let raw = try decodeIfPresent(Value.RawValue.self, forKey: key) else { return nil }
        if let value = Value(rawValue: raw) { return value }
        throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(raw) is no \(type)")
    }
}

extension KeyedEncodingContainer {
    /// Writes a value at a key, unless it is nil.
    mutating func encodeRawIfPresent<Value: RawRepresentable>(_ value: Value?, forKey key: Key) throws
    where Value.RawValue: Encodable {
        try encodeIfPresent(value?.rawValue, forKey: key)
    }
}
