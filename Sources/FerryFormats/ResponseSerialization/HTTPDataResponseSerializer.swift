/// A response serializer that returns the body unchanged, by default even if the response is not acceptable.
///
/// AFNetworking: `AFHTTPResponseSerializer`.
public struct HTTPDataResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?
    /// A Boolean value that indicates whether an empty body, or one with an unacceptable content type, has no value;
    /// false by default.
    ///
    /// A ``CompoundResponseSerializer`` then tries its next serializer.
    public var requiresAcceptableBody = false

    /// Creates a serializer; each parameter is the initial value of the property with its name.
    public init(validation: Validation = Validation(), maximumBodySize: Int? = nil) {
        self.validation = validation
        self.maximumBodySize = maximumBodySize
    }

    /// Decodes a serializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        validation = try container.decode(Validation.self, forKey: .validation)
        maximumBodySize = try container.decodeIfPresent(Int.self, forKey: .maximumBodySize)
        requiresAcceptableBody = try container.decodeIfPresent(Bool.self, forKey: .requiresAcceptableBody) ?? false
    }

    /// Returns the body, unless it is too large or refused, and the validation error, if any.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<Data> {
        let check = BodyCheck(self, response)
        if requiresAcceptableBody { return SerializedResponse(value: check.body, error: check.error) }
        let isTooLarge = check.error?.code == .responseTooLarge
        return SerializedResponse(value: isTooLarge ? nil : response.data, error: check.error)
    }
}

extension ResponseSerializer where Self == HTTPDataResponseSerializer {
    /// A response serializer that returns the body unchanged.
    public static var data: HTTPDataResponseSerializer { HTTPDataResponseSerializer() }
}
