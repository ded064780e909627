import Foundation

/// One header field: a name and its value.
///
/// Two fields are equal if their values are equal and their names differ at most in case (RFC 9110, section 5.1). A
/// field may be invalid, so that literals work: ``validate()`` checks it, and request serializers call that.
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
        guard HTTPSyntax.isToken(name) else {
            throw RequestSerializationError(
                .invalidHeader,
                reason: "The header name \(name.debugDescription) is not a token."
            )
        }
        guard HTTPSyntax.isFieldValue(value) else {
            let reason = "The value of the header \(name) contains a line break or a NUL."
            throw RequestSerializationError(.invalidHeader, reason: reason)
        }
    }
}

extension HTTPHeader: Hashable {
    /// Compares two fields, ignoring the case of their names.
    public static func == (lhs: HTTPHeader, rhs: HTTPHeader) -> Bool {
        lhs.value == rhs.value && lhs.isNamed(rhs.name)
    }

    /// Feeds the hasher with the lower-case name and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.lowercased())
        hasher.combine(value)
    }

    /// Whether the field has the given name, ignoring case.
    func isNamed(_ other: String) -> Bool {
        name == other || (name.utf8.count == other.utf8.count && name.lowercased() == other.lowercased())
    }
}

extension HTTPHeader: CustomStringConvertible {
    /// The field as a line, `Name: value`.
    public var description: String { "\(name): \(value)" }
}
