extension QueryEncoding {
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
        /// `a`, as in AFNetworking.
        case keyOnly
        /// `a=`.
        case emptyValue
        /// The key and the value are both omitted.
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
