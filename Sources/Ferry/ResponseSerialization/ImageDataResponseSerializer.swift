import Foundation

/// A response serializer that decodes an image with a closure, which may use any image library.
///
/// Without a closure, the value is the body itself, after validation.
///
/// AFNetworking: `AFImageResponseSerializer`, without its decoding of images, which only Apple's systems support.
public struct ImageDataResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (``ImageContentTypes/all`` by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int?

    private let decode: @Sendable (Data) throws -> Output

    /// Whether the serializer can be archived: it has no closure, and its value is the body.
    let isArchivable: Bool

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The maximum size of a body, in bytes; `nil` for no limit.
    ///   - decode: A closure that decodes the image, normally called on the processing queue. A ``NetworkError`` that
    ///     it throws becomes the response's error; any other error is reported as ``NetworkError/Code/decodingFailed``.
    public init(
        validation: Validation = Validation(contentTypes: ImageContentTypes.all),
        maximumBytes: Int? = nil,
        decode: @escaping @Sendable (Data) throws -> Output
    ) {
        self.validation = validation
        self.maximumBytes = maximumBytes
        self.decode = decode
        isArchivable = false
    }

    /// Creates a serializer whose value is the body; the parameters are the initial values of the properties.
    public init(
        validation: Validation = Validation(contentTypes: ImageContentTypes.all),
        maximumBytes: Int? = nil
    ) where Output == Data {
        self.validation = validation
        self.maximumBytes = maximumBytes
        decode = { $0 }
        isArchivable = true
    }

    /// Validates a response and decodes an image from its body; an empty body has no image.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output> {
        BodyCheck(self, request: request, response: response, data: data).decode("an image") { try decode($0) }
    }
}

/// The content types of images.
public enum ImageContentTypes {
    /// AFNetworking's content types, and those of the newer formats WebP, AVIF and HEIF.
    public static let all: Set<String> = [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
        "image/x-xbitmap", "image/x-win-bitmap", "image/vnd.microsoft.icon", "image/webp", "image/avif", "image/heic",
        "image/heif",
    ]
}

extension ResponseSerializer where Self == ImageDataResponseSerializer<Data> {
    /// A response serializer that returns the bytes of an image.
    public static var imageData: ImageDataResponseSerializer<Data> { ImageDataResponseSerializer() }
}

extension ResponseSerializer {
    /// Returns a serializer that decodes an image with a closure.
    ///
    /// A closure after a leading dot must be marked `@Sendable` (Swift 6.3 does not infer it there).
    ///
    /// - Parameter decode: A closure that decodes the image, normally called on the processing queue.
    /// - Returns: The new serializer.
    public static func image<Image>(
        _ decode: @escaping @Sendable (Data) throws -> Image
    ) -> Self where Self == ImageDataResponseSerializer<Image> {
        ImageDataResponseSerializer(decode: decode)
    }
}

extension ImageDataResponseSerializer: Codable where Output == Data {
    private enum Key: CodingKey {
        case validation, maximumBytes
    }

    /// Decodes a serializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            validation: try container.decode(Validation.self, forKey: .validation),
            maximumBytes: try container.decodeIfPresent(Int.self, forKey: .maximumBytes)
        )
    }

    /// Encodes all settings.
    ///
    /// - Throws: `EncodingError` if there is a decoding closure, which cannot be archived.
    public func encode(to encoder: any Encoder) throws {
        guard isArchivable else { throw EncodingError.code(self, "the decoder of an image serializer", at: encoder) }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(validation, forKey: .validation)
        try container.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
    }
}

extension EncodingError {
    /// Returns the error for a value that has a closure and cannot be archived.
    static func code(_ value: Any, _ what: String, at encoder: any Encoder) -> EncodingError {
        let context = Context(codingPath: encoder.codingPath, debugDescription: "Cannot archive \(what)")
        return .invalidValue(value, context)
    }
}
