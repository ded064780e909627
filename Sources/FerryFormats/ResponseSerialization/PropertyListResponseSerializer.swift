/// A response serializer that decodes a property list, binary or XML, as a ``PropertyListValue``.
///
/// If the body is empty, there is no value, and no error unless validation fails. The underlying error of a parse error
/// is the validation error, if any.
///
/// AFNetworking: `AFPropertyListResponseSerializer`.
public struct PropertyListResponseSerializer: ValidatingResponseSerializer {
    /// The content types of property lists: AFNetworking's and those commonly used for binary and XML property lists.
    public static let contentTypes: Set<String> = [
        "application/x-plist", "application/x-apple-binary-plist", "application/x-bplist",
        "application/vnd.apple.plist+xml",
    ]

    /// The acceptable status codes (200 to 299 by default) and content types (``contentTypes`` by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?
    /// The format that a body must have, XML or binary; `nil`, the default, for either.
    ///
    /// AFNetworking has a property with this name but accepts both formats regardless of its value.
    public var format: PropertyListSerialization.PropertyListFormat?
    /// Foundation's options for reading; none by default.
    ///
    /// They select mutable classes, so they have no effect on a ``PropertyListValue``. They are kept and archived, as
    /// in AFNetworking.
    public var readOptions: PropertyListSerialization.ReadOptions

    /// Creates a serializer; each parameter is the initial value of the property with its name.
    public init(
        format: PropertyListSerialization.PropertyListFormat? = nil,
        readOptions: PropertyListSerialization.ReadOptions = [],
        validation: Validation = Validation(contentTypes: contentTypes),
        maximumBodySize: Int? = nil
    ) {
        self.format = format
        self.readOptions = readOptions
        self.validation = validation
        self.maximumBodySize = maximumBodySize
    }

    /// Validates a response and decodes its body; see ``ResponseSerializer/serialize(_:)``.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<PropertyListValue> {
        BodyCheck(self, response).decode("a property list") { body in
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
        default: throw PropertyListParsingError("The serializer requires a format other than XML and binary")
        }
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// A response serializer that decodes a property list as a ``PropertyListValue``.
    public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}

extension PropertyListResponseSerializer: Codable {
    private enum Key: CodingKey {
        case validation, maximumBodySize, format, readOptions
    }

    /// Decodes a serializer; the format and the options may be missing, as in archives from earlier versions.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        typealias Format = PropertyListSerialization.PropertyListFormat
        let options = try container.decodeIfPresent(UInt.self, forKey: .readOptions) ?? 0
        self.init(
            format: try container.decodeRawIfPresent(Format.self, forKey: .format),
            readOptions: PropertyListSerialization.ReadOptions(rawValue: options),
            validation: try container.decode(Validation.self, forKey: .validation),
            maximumBodySize: try container.decodeIfPresent(Int.self, forKey: .maximumBodySize)
        )
    }

    /// Encodes all settings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(validation, forKey: .validation)
        try container.encodeIfPresent(maximumBodySize, forKey: .maximumBodySize)
        try container.encodeRawIfPresent(format, forKey: .format)
        try container.encode(readOptions.rawValue, forKey: .readOptions)
    }
}
