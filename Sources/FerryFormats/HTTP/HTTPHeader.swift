/// One header field: a name and its value.
///
/// Two fields are equal if their values are equal and their names differ at most in case (RFC 9110, section 5.1). A
/// field can be created with an invalid name or value; request serializers check it with ``validate()``.
public struct HTTPHeader: Sendable, Codable {
    /// The field's name, in its original case.
    public let name: String
    /// The field's value.
    public let value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Checks that the name is a token (RFC 9110, section 5.6.2) and that the value has no CR, LF or NUL.
    ///
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidHeader``. Its text does not
    ///   contain the value, which may be a secret.
    public func validate() throws {
        guard HeaderRule.isToken(name) else {
            let reason = "The header name \(PresentableText.argument(name).debugDescription) is not a token."
            throw RequestSerializationError(.invalidHeader, reason: reason)
        }
        guard HeaderRule.isValue(value) else {
            let reason = "The value of the header \(name) contains a line break or a NUL."
            throw RequestSerializationError(.invalidHeader, reason: reason)
        }
    }
}

extension HTTPHeader: Hashable {
    /// Compares two fields, ignoring the case of their names.
    public static func == (lhs: HTTPHeader, rhs: HTTPHeader) -> Bool { lhs.value == rhs.value && lhs.isNamed(rhs.name) }

    /// Feeds the hasher with the lower-case name and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.lowercased())
        hasher.combine(value)
    }

    /// Whether the field has the given name, ignoring case.
    package func isNamed(_ other: String) -> Bool {
        name == other || (name.utf8.count == other.utf8.count && name.lowercased() == other.lowercased())
    }
}

extension HTTPHeader: RedactedDescription {
    /// The field as a line, `Name: value`, with `<redacted>` in place of a secret value such as that of
    /// `Authorization`.
    public var description: String { PresentableText.argument(name) + ": " + PresentableText.field(name, value) }

    /// Returns an `Accept` field, which lists the content types that a response may have.
    public static func accept(_ value: String) -> HTTPHeader { HTTPHeader("Accept", value) }

    /// Returns an `Accept-Language` field.
    public static func acceptLanguage(_ value: String) -> HTTPHeader { HTTPHeader("Accept-Language", value) }

    /// Returns an `Authorization` field with any scheme and credentials.
    public static func authorization(_ value: String) -> HTTPHeader { HTTPHeader("Authorization", value) }

    /// Returns an `Authorization` field for the Basic scheme, in UTF-8 (RFC 7617).
    ///
    /// The user name must not contain a colon: the server would treat the rest of it as part of the password.
    public static func basic(username: String, password: String) -> HTTPHeader {
        authorization("Basic " + Data("\(username):\(password)".utf8).base64EncodedString())
    }

    /// Returns an `Authorization` field for the Bearer scheme (RFC 6750).
    public static func bearer(_ token: String) -> HTTPHeader { authorization("Bearer \(token)") }

    /// Returns a `Content-Type` field.
    public static func contentType(_ value: String) -> HTTPHeader { HTTPHeader("Content-Type", value) }

    /// Returns a `User-Agent` field.
    public static func userAgent(_ value: String) -> HTTPHeader { HTTPHeader("User-Agent", value) }
}
