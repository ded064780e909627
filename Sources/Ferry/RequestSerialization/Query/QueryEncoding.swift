import Foundation

/// The encoding of parameters as a query or a form body (`application/x-www-form-urlencoded`).
///
/// The default is exactly AFNetworking's encoding: `["k": ["a": [1, 2]], "n": nil]` becomes
/// `k%5Ba%5D%5B%5D=1&k%5Ba%5D%5B%5D=2&n`. Dictionaries are sorted by key, so that equal parameters always give the same
/// text.
public struct QueryEncoding: Sendable, Hashable, Codable {
    /// How the elements of an array are written; ``ArrayStyle/brackets`` by default.
    public var arrays: ArrayStyle
    /// How Boolean values are written; ``BoolStyle/numeric`` by default.
    public var booleans: BoolStyle
    /// How ``ParameterValue/null`` is written; ``NullStyle/keyOnly`` by default.
    public var nulls: NullStyle
    /// How a space is written; ``SpaceStyle/percent`` by default.
    public var spaces: SpaceStyle
    /// How dates are written; ``DateStyle/iso8601`` by default.
    public var dates: DateStyle

    /// Creates an encoding; the default arguments give AFNetworking's encoding.
    ///
    /// - Parameters:
    ///   - arrays: How the elements of an array are written.
    ///   - booleans: How Boolean values are written.
    ///   - nulls: How null is written.
    ///   - spaces: How a space is written.
    ///   - dates: How dates are written.
    public init(
        arrays: ArrayStyle = .brackets,
        booleans: BoolStyle = .numeric,
        nulls: NullStyle = .keyOnly,
        spaces: SpaceStyle = .percent,
        dates: DateStyle = .iso8601
    ) {
        self.arrays = arrays
        self.booleans = booleans
        self.nulls = nulls
        self.spaces = spaces
        self.dates = dates
    }

    /// Returns the parameters as percent-encoded `key=value` pairs joined with `&`.
    ///
    /// A single string or number is encoded as a value without a key, `=value`.
    /// AFNetworking: `AFQueryStringFromParameters`.
    ///
    /// - Parameters:
    ///   - parameters: A dictionary, a type that encodes as one, or a single value that is not a collection.
    ///   - encoding: The string encoding whose bytes are percent-encoded; UTF-8 unless a server requires a legacy
    ///     encoding.
    /// - Returns: The encoded text, in ASCII; empty if there are no values.
    /// - Throws: ``RequestSerializationError`` for an array or a set without a key, an array that cannot be joined with
    ///   commas, or characters that the encoding cannot represent.
    public func encode(_ parameters: Parameters, using encoding: String.Encoding = .utf8) throws -> String {
        try encode(try parameters.value(), using: encoding)
    }

    /// Returns the value as `key=value` pairs; see ``encode(_:using:)-(Parameters,_)``.
    func encode(_ value: ParameterValue, using encoding: String.Encoding = .utf8) throws -> String {
        var escaper = PercentEscaper(encoding: encoding, spaces: spaces)
        for (index, field) in try fields(of: value).enumerated() {
            if index > 0 {
                escaper.appendRaw("&")
            }
            try escaper.append(field.key)
            guard let texts = field.texts else { continue }
            escaper.appendRaw("=")
            for (place, text) in texts.enumerated() {
                if place > 0 {
                    escaper.appendRaw(",")
                }
                try escaper.append(text)
            }
        }
        return escaper.result
    }

    /// Returns the string with all bytes of its UTF-8 form percent-encoded except ASCII letters, digits and `-._~/?`.
    ///
    /// The string is never treated as already encoded: `%` becomes `%25`.
    /// AFNetworking: `AFPercentEscapedStringFromString`.
    public static func percentEscape(_ string: String) -> String {
        var escaper = PercentEscaper()
        escaper.append(utf8: string)
        return escaper.result
    }
}
