import FerrySession

extension HTTPHeaders: Codable {
    /// Reads the fields in their order; a name that is not a token, or a value with a line break, is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let fields = try container.decode([HTTPHeader].self)
        guard fields.allSatisfy({ HTTPSyntax.isToken($0.name) && HTTPSyntax.isFieldValue($0.value) }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "A header field is malformed")
        }
        self.init(fields)
    }

    /// Writes the fields in their order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Array(self))
    }
}
