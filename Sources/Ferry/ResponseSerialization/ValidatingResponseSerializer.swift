import FerrySession

/// A response serializer that checks status, content type and size before it decodes.
///
/// The checks are changed for one call where the serializer is named:
///
/// ```swift
/// let serializer = JSONResponseSerializer().accepting("text/html").limited(toBytes: 1 << 20)
/// ```
///
/// AFNetworking: `AFHTTPResponseSerializer`.
public protocol ValidatingResponseSerializer<Output>: ResponseSerializer {
    /// The acceptable status codes and content types.
    var validation: Validation { get set }

    /// The largest body the serializer takes, in bytes; nil for any.
    var maximumBytes: Int? { get set }
}

extension ValidatingResponseSerializer {
    /// The acceptable status codes; nil accepts all.
    public var acceptableStatusCodes: Set<Int>? {
        get { validation.acceptableStatusCodes }
        set { validation.acceptableStatusCodes = newValue }
    }

    /// The acceptable content types; nil accepts all.
    public var acceptableContentTypes: Set<String>? {
        get { validation.acceptableContentTypes }
        set { validation.acceptableContentTypes = newValue }
    }

    /// The same serializer with another validation.
    ///
    /// - Parameter validation: The acceptable status codes and content types.
    /// - Returns: A changed copy.
    public func validating(_ validation: Validation) -> Self {
        var copy = self
        copy.validation = validation
        return copy
    }

    /// The same serializer for these content types besides its own.
    ///
    /// - Parameter contentTypes: Content types, with or without wildcards.
    /// - Returns: A changed copy.
    public func accepting(_ contentTypes: String...) -> Self {
        var copy = self
        copy.validation.acceptableContentTypes?.formUnion(contentTypes)
        return copy
    }

    /// The same serializer for these status codes besides its own.
    ///
    /// - Parameter statusCodes: Status codes, such as `400..<500`.
    /// - Returns: A changed copy.
    public func accepting(statusCodes: some Sequence<Int>) -> Self {
        validating(validation.accepting(statusCodes: statusCodes))
    }

    /// The same serializer for any content type.
    ///
    /// - Returns: A changed copy.
    public func acceptingAnyContentType() -> Self {
        validating(validation.acceptingAnyContentType)
    }

    /// The same serializer for any status code.
    ///
    /// - Returns: A changed copy.
    public func acceptingAnyStatusCode() -> Self {
        validating(validation.acceptingAnyStatusCode)
    }

    /// The same serializer with a limit to the body's size.
    ///
    /// A larger body is not decoded; the error is ``NetworkError/Code/responseTooLarge``.
    ///
    /// - Parameter maximumBytes: The limit in bytes; nil for none.
    /// - Returns: A changed copy.
    public func limited(toBytes maximumBytes: Int?) -> Self {
        var copy = self
        copy.maximumBytes = maximumBytes
        return copy
    }
}
