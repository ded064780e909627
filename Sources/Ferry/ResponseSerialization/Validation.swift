import Foundation

/// The acceptable status codes and content types of a response.
///
/// AFNetworking: `AFHTTPResponseSerializer.validateResponse`.
public struct Validation: Sendable, Hashable, Codable {
    /// The acceptable status codes; `nil` accepts all.
    ///
    /// 200 to 299 by default.
    public var acceptableStatusCodes: Set<Int>?

    /// The acceptable content types, without parameters; `nil` accepts all.
    ///
    /// All by default. `image/*` accepts every subtype of `image`, `application/*+json` every subtype with the suffix
    /// (RFC 6839), and `*/*` every response that has a content type.
    public var acceptableContentTypes: Set<String>?

    /// Creates a validation.
    ///
    /// - Parameters:
    ///   - statusCodes: The acceptable status codes; `nil` accepts all.
    ///   - contentTypes: The acceptable content types; `nil` accepts all.
    public init(statusCodes: Set<Int>? = Validation.success, contentTypes: Set<String>? = nil) {
        acceptableStatusCodes = statusCodes
        acceptableContentTypes = contentTypes
    }

    /// The successful status codes, 200 to 299 (RFC 9110, section 15.3).
    public static let success = Set(200..<300)

    /// A validation that accepts every response.
    public static let none = Validation(statusCodes: nil)

    /// Returns a copy of this validation that accepts the given content types in addition to its own.
    ///
    /// - Parameter contentTypes: The content types, with or without wildcards.
    /// - Returns: The changed copy.
    public func accepting(_ contentTypes: String...) -> Validation {
        var copy = self
        copy.acceptableContentTypes = acceptableContentTypes?.union(contentTypes)
        return copy
    }

    /// Returns a copy of this validation that accepts the given status codes in addition to its own.
    ///
    /// - Parameter statusCodes: The status codes, such as `400..<500`.
    /// - Returns: The changed copy.
    public func accepting(statusCodes: some Sequence<Int>) -> Validation {
        var copy = self
        copy.acceptableStatusCodes = acceptableStatusCodes?.union(statusCodes)
        return copy
    }

    /// A copy of this validation that accepts any content type.
    public var acceptingAnyContentType: Validation {
        Validation(statusCodes: acceptableStatusCodes, contentTypes: nil)
    }

    /// A copy of this validation that accepts any status code.
    public var acceptingAnyStatusCode: Validation {
        Validation(statusCodes: nil, contentTypes: acceptableContentTypes)
    }
}
