import FerrySession

/// Makes a ``PropertyListValue`` from a property list, binary or XML.
///
/// An empty body gives neither value nor error.
///
/// AFNetworking: `AFPropertyListResponseSerializer`.
public struct PropertyListResponseSerializer: ValidatingResponseSerializer {
    /// The content types of property lists: AFNetworking's and those in use for binary lists and for XML.
    public static let contentTypes: Set<String> = [
        "application/x-plist", "application/x-apple-binary-plist", "application/x-bplist",
        "application/vnd.apple.plist+xml",
    ]

    /// The acceptable status codes (200 to 299 by default) and content types (``contentTypes`` by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    /// The format a body must have, XML or binary; nil, the default, for either.
    ///
    /// AFNetworking has a property of this name and reads either format whatever it says.
    public var format: PropertyListSerialization.PropertyListFormat?

    /// Foundation's options for reading; none by default.
    ///
    /// They choose mutable classes, so they have no effect on a ``PropertyListValue``. They are kept and archived, as by
    /// AFNetworking.
    public var readOptions: PropertyListSerialization.ReadOptions

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - format: The format a body must have; nil for XML or binary.
    ///   - readOptions: Foundation's options for reading, which have no effect on a ``PropertyListValue``.
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
    public init(
        format: PropertyListSerialization.PropertyListFormat? = nil,
        readOptions: PropertyListSerialization.ReadOptions = [],
        validation: Validation = Validation(contentTypes: contentTypes),
        maximumBytes: Int? = nil
    ) {
        self.format = format
        self.readOptions = readOptions
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Checks a response and reads its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The value, and what was wrong; an error in the list lies on top of one in the response.
    public func serialize(
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> SerializedResponse<PropertyListValue> {
        BodyCheck(self, request: request, response: response, data: data).decode("a property list") { body in
            try checkFormat(of: body)
            return try PropertyListValue(propertyList: body)
        }
    }

    private func checkFormat(of body: Data) throws(PropertyListParsingError) {
        let isBinary = body.starts(with: "bplist".utf8)
        switch format {
        case nil: return
        case .binary: if !isBinary { throw PropertyListParsingError("Not in the binary format") }
        case .xml: if isBinary { throw PropertyListParsingError("Not in the XML format") }
        default: throw PropertyListParsingError("The serializer asks for a format other than XML and binary")
        }
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// The body as a ``PropertyListValue``.
    public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}
