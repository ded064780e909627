import Foundation

/// All settings are encoded except ``configureEncoder``, a closure.
extension JSONRequestSerializer: Codable {
    private enum Key: CodingKey {
        case options, outputFormatting, allowsFragments
    }

    /// Decodes a serializer, without a ``configureEncoder``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(options: try container.decode(RequestOptions.self, forKey: .options))
        outputFormatting = JSONEncoder.OutputFormatting(
            rawValue: try container.decode(UInt.self, forKey: .outputFormatting)
        )
        allowsFragments = try container.decode(Bool.self, forKey: .allowsFragments)
    }

    /// Encodes all settings except the ``configureEncoder``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(options, forKey: .options)
        try container.encode(outputFormatting.rawValue, forKey: .outputFormatting)
        try container.encode(allowsFragments, forKey: .allowsFragments)
    }
}

extension PropertyListRequestSerializer: Codable {
    private enum Key: CodingKey {
        case options, format
    }

    /// Decodes a serializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(options: try container.decode(RequestOptions.self, forKey: .options))
        typealias Format = PropertyListSerialization.PropertyListFormat
        format = try container.decodeRawIfPresent(Format.self, forKey: .format) ?? format
    }

    /// Encodes the options and the format.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(options, forKey: .options)
        try container.encodeRawIfPresent(format, forKey: .format)
    }
}
