import FerrySession

extension HTTPHeader {
    /// An `Accept` field: the content types a response may have.
    public static func accept(_ value: String) -> HTTPHeader {
        HTTPHeader("Accept", value)
    }

    /// An `Accept-Language` field.
    public static func acceptLanguage(_ value: String) -> HTTPHeader {
        HTTPHeader("Accept-Language", value)
    }

    /// An `Authorization` field with any scheme and credentials.
    public static func authorization(_ value: String) -> HTTPHeader {
        HTTPHeader("Authorization", value)
    }

    /// An `Authorization` field for the Basic scheme, in UTF-8 (RFC 7617).
    ///
    /// A user name must not have a colon in it: the server would take what follows for the password.
    public static func basic(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }

    /// An `Authorization` field for the Bearer scheme (RFC 6750).
    public static func bearer(_ token: String) -> HTTPHeader {
        authorization("Bearer \(token)")
    }

    /// A `Content-Type` field.
    public static func contentType(_ value: String) -> HTTPHeader {
        HTTPHeader("Content-Type", value)
    }

    /// A `User-Agent` field.
    public static func userAgent(_ value: String) -> HTTPHeader {
        HTTPHeader("User-Agent", value)
    }
}
