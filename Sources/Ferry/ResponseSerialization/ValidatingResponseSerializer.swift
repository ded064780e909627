import Foundation

/// A response serializer that checks the status code, the content type and the size before it decodes the body.
///
/// The checks can be changed for a single call:
///
/// ```swift
/// let serializer = JSONResponseSerializer().accepting("text/html").limited(toBytes: 1 << 20)
/// ```
///
/// AFNetworking: `AFHTTPResponseSerializer`.
public protocol ValidatingResponseSerializer<Output>: ResponseSerializer {
    /// The acceptable status codes and content types.
    var validation: Validation { get set }

    /// The maximum size of a body, in bytes; `nil` for no limit.
    var maximumBytes: Int? { get set }
}

extension ValidatingResponseSerializer {
    /// The acceptable status codes; `nil` accepts all.
    public var acceptableStatusCodes: Set<Int>? {
        get { validation.acceptableStatusCodes }
        set { validation.acceptableStatusCodes = newValue }
    }

    /// The acceptable content types; `nil` accepts all.
    public var acceptableContentTypes: Set<String>? {
        get { validation.acceptableContentTypes }
        set { validation.acceptableContentTypes = newValue }
    }

    /// Returns a copy of this serializer with another validation.
    ///
    /// - Parameter validation: The acceptable status codes and content types.
    /// - Returns: The changed copy.
    public func validating(_ validation: Validation) -> Self {
        var copy = self
        copy.validation = validation
        return copy
    }

    /// Returns a copy of this serializer that accepts the given content types in addition to its own.
    ///
    /// - Parameter contentTypes: The content types, with or without wildcards.
    /// - Returns: The changed copy.
    public func accepting(_ contentTypes: String...) -> Self {
        var copy = self
        copy.validation.acceptableContentTypes?.formUnion(contentTypes)
        return copy
    }

    /// Returns a copy of this serializer that accepts the given status codes in addition to its own.
    ///
    /// - Parameter statusCodes: The status codes, such as `400..<500`.
    /// - Returns: The changed copy.
    public func accepting(statusCodes: some Sequence<Int>) -> Self {
        validating(validation.accepting(statusCodes: statusCodes))
    }

    /// Returns a copy of this serializer that accepts any content type.
    ///
    /// - Returns: The changed copy.
    public func acceptingAnyContentType() -> Self {
        validating(validation.acceptingAnyContentType)
    }

    /// Returns a copy of this serializer that accepts any status code.
    ///
    /// - Returns: The changed copy.
    public func acceptingAnyStatusCode() -> Self {
        validating(validation.acceptingAnyStatusCode)
    }

    /// Returns a copy of this serializer with a limit on the size of the body.
    ///
    /// A larger body is not decoded; the error is ``NetworkError/Code/responseTooLarge``.
    ///
    /// - Parameter maximumBytes: The limit in bytes; `nil` for no limit.
    /// - Returns: The changed copy.
    public func limited(toBytes maximumBytes: Int?) -> Self {
        var copy = self
        copy.maximumBytes = maximumBytes
        return copy
    }
}
