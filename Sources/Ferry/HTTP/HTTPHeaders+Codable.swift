import FerrySession

extension HTTPHeaders: Codable {
    /// Reads the fields in their order.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([HTTPHeader].self))
    }

    /// Writes the fields in their order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Array(self))
    }
}
