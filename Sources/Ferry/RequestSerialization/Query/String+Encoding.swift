import FerrySession

extension String {
    /// The text's bytes in an encoding; nothing is replaced by question marks or lost.
    func data(in encoding: String.Encoding) throws -> Data {
        guard let data = data(using: encoding, allowLossyConversion: false) else {
            let reason = "The text has characters that its encoding (\(encoding)) lacks."
            throw RequestSerializationError(.unencodableText, reason: reason)
        }
        return data
    }
}
