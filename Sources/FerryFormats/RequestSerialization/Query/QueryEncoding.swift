/// The encoding of parameters as a query or a form body (`application/x-www-form-urlencoded`).
///
/// The default is AFNetworking's encoding, except that `nil` is omitted as in Alamofire's: `["k": ["a": [1, 2]], "n":
/// nil]` becomes `k%5Ba%5D%5B%5D=1&k%5Ba%5D%5B%5D=2`. Dictionaries are sorted by key, so that equal parameters always
/// give the same text.
public struct QueryEncoding: Sendable, Hashable, Codable {
    /// How the elements of an array are written; ``ArrayStyle/brackets`` by default.
    public var arrays: ArrayStyle
    /// How Boolean values are written; ``BoolStyle/numeric`` by default.
    public var booleans: BoolStyle
    /// How ``ParameterValue/null`` is written; ``NullStyle/omitted`` by default.
    public var nulls: NullStyle
    /// How a space is written; ``SpaceStyle/percent`` by default.
    public var spaces: SpaceStyle
    /// How dates are written; ``DateStyle/iso8601`` by default.
    public var dates: DateStyle

    /// Creates an encoding with the given styles.
    ///
    /// With `nulls: .keyOnly`, the other arguments give AFNetworking's encoding, except for dates and data.
    public init(
        arrays: ArrayStyle = .brackets,
        booleans: BoolStyle = .numeric,
        nulls: NullStyle = .omitted,
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
    /// A single string or number is encoded as a value without a key, `=value`. AFNetworking:
    /// `AFQueryStringFromParameters`.
    ///
    /// - Parameters:
    ///   - parameters: A dictionary, a type that encodes as one, or a single value that is not a collection.
    ///   - encoding: The string encoding whose bytes are percent-encoded; UTF-8 unless a server requires a legacy
    ///     encoding.
    /// - Returns: The encoded text, in ASCII; empty if there are no values.
    /// - Throws: ``RequestSerializationError`` for an array or a set without a key, an array that cannot be joined with
    ///   commas, or characters that the encoding cannot represent.
    public func encode(_ parameters: Parameters, using encoding: String.Encoding = .utf8) throws -> String {
        func escaped(_ text: String) throws -> String {
            try text.data(in: encoding).percentEncoded(keeping: Self.marks, spaceIsPlus: spaces == .plus)
        }
        return try fields(of: parameters.value()).map { field -> String in
            let key = try escaped(field.key)
            guard let texts = field.value.texts else { return key }
            return try key + "=" + texts.map(escaped).joined(separator: ",")
        }
        .joined(separator: "&")
    }

    /// The bytes besides letters and digits that are not percent-encoded.
    private static let marks = "-._~/?"

    /// Returns the string with all bytes of its UTF-8 form percent-encoded except ASCII letters, digits and `-._~/?`.
    ///
    /// The string is never treated as already encoded: `%` becomes `%25`. AFNetworking:
    /// `AFPercentEscapedStringFromString`.
    public static func percentEscape(_ string: String) -> String { string.utf8.percentEncoded(keeping: marks) }

    /// How the elements of an array are written.
    public enum ArrayStyle: String, Sendable, Hashable, Codable {
        /// `a[]=1&a[]=2`, as in AFNetworking.
        case brackets
        /// `a=1&a=2`.
        case repeated
        /// `a[0]=1&a[1]=2`.
        case indexed
        /// `a=1,2`, with commas inside the elements percent-encoded.
        ///
        /// The elements must not be collections. Sets are joined too.
        case commaJoined
    }

    /// How Boolean values are written.
    public enum BoolStyle: String, Sendable, Hashable, Codable {
        /// `1` and `0`, as in AFNetworking.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// How null is written.
    public enum NullStyle: String, Sendable, Hashable, Codable {
        /// `a`, as AFNetworking writes `NSNull`.
        case keyOnly
        /// `a=`.
        case emptyValue
        /// The key and the value are both omitted, as in Alamofire.
        case omitted
    }

    /// How a space is written.
    public enum SpaceStyle: String, Sendable, Hashable, Codable {
        /// `%20`, as in AFNetworking.
        case percent
        /// `+`, as in forms sent by browsers.
        case plus
    }

    /// How dates are written.
    public enum DateStyle: String, Sendable, Hashable, Codable {
        /// `2001-02-03T04:05:06Z` (RFC 3339), in UTC and whole seconds.
        case iso8601
        /// Seconds since 1970, with the fraction if it is not zero.
        case secondsSince1970
        /// Milliseconds since 1970, rounded to an integer.
        case millisecondsSince1970
    }
}
