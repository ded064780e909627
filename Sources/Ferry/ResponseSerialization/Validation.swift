import FerrySession

/// The status codes and content types a response may have.
///
/// AFNetworking: `AFHTTPResponseSerializer.validateResponse`.
public struct Validation: Sendable, Hashable, Codable {
    /// The acceptable status codes; nil accepts all.
    ///
    /// 200 to 299 by default.
    public var acceptableStatusCodes: Set<Int>?

    /// The acceptable content types, without parameters; nil accepts all.
    ///
    /// All by default. `image/*` accepts every type of a tree, `application/*+json` every one with a suffix
    /// (RFC 6839), `*/*` everything that has a type.
    public var acceptableContentTypes: Set<String>?

    /// Makes a validation.
    ///
    /// - Parameters:
    ///   - statusCodes: The acceptable status codes; nil accepts all.
    ///   - contentTypes: The acceptable content types; nil accepts all.
    public init(statusCodes: Set<Int>? = Validation.success, contentTypes: Set<String>? = nil) {
        acceptableStatusCodes = statusCodes
        acceptableContentTypes = contentTypes
    }

    /// The status codes of success, 200 to 299 (RFC 9110, section 15.3).
    public static let success = Set(200..<300)

    /// A validation that accepts every response.
    public static let none = Validation(statusCodes: nil)

    /// The same validation for these content types besides its own.
    ///
    /// - Parameter contentTypes: Content types, with or without wildcards.
    /// - Returns: A validation which accepts these types too.
    public func accepting(_ contentTypes: String...) -> Validation {
        var copy = self
        copy.acceptableContentTypes = acceptableContentTypes?.union(contentTypes)
        return copy
    }

    /// The same validation for these status codes besides its own.
    ///
    /// - Parameter statusCodes: Status codes, such as `400..<500`.
    /// - Returns: A validation which accepts these codes too.
    public func accepting(statusCodes: some Sequence<Int>) -> Validation {
        var copy = self
        copy.acceptableStatusCodes = acceptableStatusCodes?.union(statusCodes)
        return copy
    }

    /// The same validation for any content type.
    public var acceptingAnyContentType: Validation {
        Validation(statusCodes: acceptableStatusCodes, contentTypes: nil)
    }

    /// The same validation for any status code.
    public var acceptingAnyStatusCode: Validation {
        Validation(statusCodes: nil, contentTypes: acceptableContentTypes)
    }
}
