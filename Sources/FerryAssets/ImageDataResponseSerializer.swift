/// A response serializer that decodes an image with a closure, which may use any image library.
///
/// For the bytes of an image there is `.imageData`.
///
/// AFNetworking: `AFImageResponseSerializer`, without its decoding of images, which only Apple's systems support.
public struct ImageDataResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (those of `Validation.images` by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?

    private let decode: @Sendable (Data) throws -> Output

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBodySize: The maximum size of a body, in bytes; `nil` for no limit.
    ///   - decode: A closure that decodes the image, normally called on the processing queue. A `NetworkError` that it
    ///     throws becomes the response's error; any other error is reported as `NetworkError.Code.decodingFailed`.
    public init(
        validation: Validation = .images,
        maximumBodySize: Int? = nil,
        decode: @escaping @Sendable (Data) throws -> Output
    ) {
        self.validation = validation
        self.maximumBodySize = maximumBodySize
        self.decode = decode
    }

    /// Validates a response and decodes an image from its body; an empty body has no image.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<Output> {
        BodyCheck(self, response).decode("an image") { try decode($0) }
    }
}

extension Validation {
    /// A validation of images: AFNetworking's content types, and those of the newer formats WebP, AVIF and HEIF.
    public static let images = Validation(contentTypes: [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
        "image/x-xbitmap", "image/x-win-bitmap", "image/vnd.microsoft.icon", "image/webp", "image/avif", "image/heic",
        "image/heif",
    ])
}

extension ResponseSerializer where Self == HTTPDataResponseSerializer {
    /// A response serializer that returns the bytes of an image, which must not be empty.
    ///
    /// It accepts the content types of `Validation.images`; a body of another type has no value.
    public static var imageData: HTTPDataResponseSerializer {
        var serializer = HTTPDataResponseSerializer(validation: .images)
        serializer.requiresAcceptableBody = true
        return serializer
    }
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
