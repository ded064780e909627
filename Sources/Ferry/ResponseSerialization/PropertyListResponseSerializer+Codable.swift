import Foundation

extension PropertyListResponseSerializer: Codable {
    private enum Key: CodingKey {
        case validation, maximumBytes, format, readOptions
    }

    /// Decodes a serializer; the format and the options may be missing, as in archives from earlier versions.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        typealias Format = PropertyListSerialization.PropertyListFormat
        let options = try container.decodeIfPresent(UInt.self, forKey: .readOptions) ?? 0
        self.init(
            format: try container.decodeRawIfPresent(Format.self, forKey: .format),
            readOptions: PropertyListSerialization.ReadOptions(rawValue: options),
            validation: try container.decode(Validation.self, forKey: .validation),
            maximumBytes: try container.decodeIfPresent(Int.self, forKey: .maximumBytes)
        )
    }

    /// Encodes all settings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(validation, forKey: .validation)
        try container.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
        try container.encodeRawIfPresent(format, forKey: .format)
        try container.encode(readOptions.rawValue, forKey: .readOptions)
    }
}
