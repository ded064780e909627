/// An HTTP request method, such as `GET` (RFC 9110, section 9).
///
/// Methods are an open vocabulary: `HTTPMethod("PROPFIND")` and `"PROPFIND" as HTTPMethod` are methods too. Names are
/// case-sensitive, and standard ones are upper case.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, Codable {
    /// The method's name as it is sent.
    public let rawValue: String

    /// Creates a method from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a method from its name.
    public init(_ name: String) { rawValue = name }

    /// A Boolean value that indicates whether the name is a token, as RFC 9110, section 9.1, requires.
    public var isValid: Bool { HeaderRule.isToken(rawValue) }

    /// A Boolean value that indicates whether the method is defined as read-only (RFC 9110, section 9.2.1).
    ///
    /// `QUERY` and the safe methods of WebDAV are included.
    public var isSafe: Bool { RepetitionRule.isSafe(rawValue) }

    /// A Boolean value that indicates whether sending a request twice has the same effect as sending it once.
    ///
    /// See RFC 9110, section 9.2.2. The methods of WebDAV and `QUERY` are included.
    public var isIdempotent: Bool { RepetitionRule.isIdempotent(rawValue) }

    /// Transfers a representation of the target.
    public static let get = HTTPMethod("GET")
    /// Transfers the response head of `GET`, without the body.
    public static let head = HTTPMethod("HEAD")
    /// Makes the target process the body.
    public static let post = HTTPMethod("POST")
    /// Replaces the target with the body.
    public static let put = HTTPMethod("PUT")
    /// Changes the target as the body describes (RFC 5789).
    public static let patch = HTTPMethod("PATCH")
    /// Removes the target.
    public static let delete = HTTPMethod("DELETE")
    /// Requests the methods and features that the target supports.
    public static let options = HTTPMethod("OPTIONS")
    /// Makes the server return the request it received.
    public static let trace = HTTPMethod("TRACE")
    /// Opens a tunnel through a proxy.
    public static let connect = HTTPMethod("CONNECT")
    /// Queries the target with the body, safely and idempotently.
    public static let query = HTTPMethod("QUERY")
}

extension HTTPMethod: ExpressibleByStringLiteral {
    /// Creates a method from a literal.
    public init(stringLiteral value: String) { rawValue = value }
}

extension HTTPMethod: CustomStringConvertible {
    /// The method's name.
    public var description: String { rawValue }
}
