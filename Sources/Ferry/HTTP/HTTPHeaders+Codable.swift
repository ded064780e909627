import Foundation

extension HTTPHeaders: Codable {
    /// Decodes the fields in order; throws if a name is not a token, or a value contains a line break or a NUL.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let fields = try container.decode([HTTPHeader].self)
        guard fields.allSatisfy({ HTTPSyntax.isToken($0.name) && HTTPSyntax.isFieldValue($0.value) }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "A header field is malformed")
        }
        self.init(fields)
    }

    /// Encodes the fields in order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Array(self))
    }
}
