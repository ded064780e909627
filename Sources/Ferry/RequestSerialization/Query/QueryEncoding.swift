import FerrySession

/// How parameters become a query or a form body (`application/x-www-form-urlencoded`).
///
/// By default exactly as in AFNetworking: `["k": ["a": [1, 2]], "n": nil]` gives `k%5Ba%5D%5B%5D=1&k%5Ba%5D%5B%5D=2&n`.
/// Dictionaries are sorted by key, so that equal parameters always give the same text.
public struct QueryEncoding: Sendable, Hashable, Codable {
    /// How the elements of an array are written; by default ``ArrayStyle/brackets``.
    public var arrays: ArrayStyle
    /// How truth values are written; by default ``BoolStyle/numeric``.
    public var booleans: BoolStyle
    /// How ``ParameterValue/null`` is written; by default ``NullStyle/keyOnly``.
    public var nulls: NullStyle
    /// How a space is written; by default ``SpaceStyle/percent``.
    public var spaces: SpaceStyle
    /// How dates are written; by default ``DateStyle/iso8601``.
    public var dates: DateStyle

    /// Creates a way of encoding; all arguments default to AFNetworking's way.
    ///
    /// - Parameters:
    ///   - arrays: How the elements of an array are written.
    ///   - booleans: How truth values are written.
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

    /// The parameters as `key=value` pairs joined with `&`, all percent-encoded.
    ///
    /// AFNetworking: `AFQueryStringFromParameters`. A text or number alone is a value without a key, `=value`.
    ///
    /// - Parameters:
    ///   - parameters: A dictionary, a type that encodes as one, or a single leaf.
    ///   - encoding: The encoding whose bytes are percent-encoded; UTF-8 unless a server wants a legacy form.
    /// - Returns: The text, in ASCII; empty if there are no values.
    /// - Throws: ``RequestSerializationError`` for an array or a set without a key, an array that cannot be joined with
    ///   commas, or text that the encoding lacks.
    public func encode(_ parameters: Parameters, using encoding: String.Encoding = .utf8) throws -> String {
        try encode(try parameters.value(), using: encoding)
    }

    /// The value as `key=value` pairs; see ``encode(_:using:)-(Parameters,_)``.
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

    /// Percent-encodes all but letters, digits and `-._~/?`, as UTF-8.
    ///
    /// AFNetworking: `AFPercentEscapedStringFromString`. Text is never taken to be encoded already: `%` gives `%25`.
    public static func percentEscape(_ string: String) -> String {
        var escaper = PercentEscaper()
        escaper.append(utf8: string)
        return escaper.result
    }
}
