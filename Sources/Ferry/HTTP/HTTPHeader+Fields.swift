import Foundation

extension HTTPHeader {
    /// Returns an `Accept` field, which lists the content types that a response may have.
    public static func accept(_ value: String) -> HTTPHeader {
        HTTPHeader("Accept", value)
    }

    /// Returns an `Accept-Language` field.
    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        HTTPHeader("Accept-Language", value)
    }

    /// Returns an `Authorization` field with any scheme and credentials.
    public static func authorization(_ value: String) -> HTTPHeader {
        HTTPHeader("Authorization", value)
    }

    /// Returns an `Authorization` field for the Basic scheme, in UTF-8 (RFC 7617).
    ///
    /// The user name must not contain a colon: the server would treat the rest of it as part of the password.
    public static func basic(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }

    /// Returns an `Authorization` field for the Bearer scheme (RFC 6750).
    public static func bearer(_ token: String) -> HTTPHeader {
        authorization("Bearer \(token)")
    }

    /// Returns a `Content-Type` field.
    public static func contentType(_ value: String) -> HTTPHeader {
        HTTPHeader("Content-Type", value)
    }

    /// Returns a `User-Agent` field.
    public static func userAgent(_ value: String) -> HTTPHeader {
        HTTPHeader("User-Agent", value)
    }
}
