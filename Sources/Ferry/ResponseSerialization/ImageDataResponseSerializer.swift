import FerrySession

/// Makes an image from a body of an image type, by a decoder of your choice.
///
/// Without a decoder the value is the body itself, checked for status and content type.
///
/// AFNetworking: `AFImageResponseSerializer`, without the decoding that only Apple's systems have.
public struct ImageDataResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (``ImageContentTypes/all`` by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    private let decode: @Sendable (Data) throws -> Output

    /// Whether the value is the body as it came, so that there is no decoder which an archive would lose.
    let isArchivable: Bool

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
    ///   - decode: Makes the image. Runs on the processing queue; what it throws becomes the error
    ///     (``NetworkError/Code/decodingFailed``).
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

    /// Makes a serializer whose value is the body as it came.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
    public init(
        validation: Validation = Validation(contentTypes: ImageContentTypes.all),
        maximumBytes: Int? = nil
    ) where Output == Data {
        self.validation = validation
        self.maximumBytes = maximumBytes
        decode = { $0 }
        isArchivable = true
    }

    /// Checks a response and makes an image from its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The image, and what was wrong; no image from an empty body.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output> {
        BodyCheck(self, request: request, response: response, data: data).decode("an image") { try decode($0) }
    }
}

/// The content types of images.
public enum ImageContentTypes {
    /// AFNetworking's list, and the formats that came after it: WebP, AVIF and HEIF.
    public static let all: Set<String> = [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
        "image/x-xbitmap", "image/x-win-bitmap", "image/vnd.microsoft.icon", "image/webp", "image/avif", "image/heic",
        "image/heif",
    ]
}

extension ResponseSerializer where Self == ImageDataResponseSerializer<Data> {
    /// The bytes of an image.
    public static var imageData: ImageDataResponseSerializer<Data> { ImageDataResponseSerializer() }
}

extension ResponseSerializer {
    /// An image, by a decoder of your choice.
    ///
    /// A closure after a leading dot has to be marked `@Sendable` (Swift 6.3 does not infer it there).
    ///
    /// - Parameter decode: Makes the image. Runs on the processing queue.
    /// - Returns: A serializer.
    public static func image<Image>(
        _ decode: @escaping @Sendable (Data) throws -> Image
    ) -> Self where Self == ImageDataResponseSerializer<Image> {
        ImageDataResponseSerializer(decode: decode)
    }
}
