extension String {
    /// Returns the string's bytes in an encoding, and throws rather than replace or drop a character.
    package func data(in encoding: String.Encoding) throws -> Data {
        guard let data = data(using: encoding, allowLossyConversion: false) else {
            let reason = "The text contains characters that its encoding (\(encoding)) cannot represent."
            throw RequestSerializationError(.unencodableText, reason: reason)
        }
        return data
    }
}
