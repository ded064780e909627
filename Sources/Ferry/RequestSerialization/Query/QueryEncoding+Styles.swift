extension QueryEncoding {
    /// How the elements of an array are written.
    public enum ArrayStyle: String, Sendable, Hashable, Codable {
        /// `a[]=1&a[]=2`, AFNetworking's way.
        case brackets
        /// `a=1&a=2`.
        case repeated
        /// `a[0]=1&a[1]=2`.
        case indexed
        /// `a=1,2`: leaves only, their own commas percent-encoded. Sets are joined too.
        case commaJoined
    }

    /// How truth values are written.
    public enum BoolStyle: String, Sendable, Hashable, Codable {
        /// `1` and `0`, AFNetworking's way.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// How null is written.
    public enum NullStyle: String, Sendable, Hashable, Codable {
        /// `a`, AFNetworking's way.
        case keyOnly
        /// `a=`.
        case emptyValue
        /// Not at all.
        case omitted
    }

    /// How a space is written.
    public enum SpaceStyle: String, Sendable, Hashable, Codable {
        /// `%20`, AFNetworking's way.
        case percent
        /// `+`, as browsers' forms do.
        case plus
    }

    /// How dates are written.
    public enum DateStyle: String, Sendable, Hashable, Codable {
        /// `2001-02-03T04:05:06Z` (RFC 3339), in UTC and whole seconds.
        case iso8601
        /// Seconds since 1970, with a fraction if there is one.
        case secondsSince1970
        /// Whole milliseconds since 1970.
        case millisecondsSince1970
    }
}
