import FerrySession

/// Where a downloaded file goes.
///
/// The file is moved after the response has passed validation, as a whole or not at all. AFNetworking: the `destination`
/// block of its download tasks.
public struct DownloadDestination: Sendable {
    /// Gives the place for a file from its temporary one and the response; nil leaves no file.
    public typealias Resolver = @Sendable (_ temporaryURL: URL, _ response: URLResponse?) -> URL?

    /// How to deal with what is there; by default an existing file is an error, as is a missing directory.
    public var options: Options

    private let resolver: Resolver

    /// Makes a destination that is decided on when the file is there.
    ///
    /// - Parameters:
    ///   - options: How to deal with what is there.
    ///   - resolver: Gives the place. Runs on the processing queue, once, after validation.
    public init(options: Options = [], resolver: @escaping Resolver) {
        self.options = options
        self.resolver = resolver
    }

    /// A file.
    ///
    /// - Parameters:
    ///   - url: The file's URL.
    ///   - options: How to deal with what is there.
    /// - Returns: A destination.
    public static func file(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(options: options) { _, _ in url }
    }

    /// A directory; the file's name is the one the server suggests, or comes from the URL.
    ///
    /// The name is made safe: it is one path component, not hidden, and at most 255 bytes long. See `FileName`.
    ///
    /// - Parameters:
    ///   - url: The directory's URL.
    ///   - options: How to deal with what is there.
    /// - Returns: A destination.
    public static func directory(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(options: options) { _, response in
            url.appendingPathComponent(FileName.suggested(by: response), isDirectory: false)
        }
    }

    /// A new file in the system's temporary directory, which is the caller's to remove.
    public static let temporary = DownloadDestination(options: .createIntermediateDirectories) { _, response in
        let suggestion = FileName.suggested(by: response) as NSString
        let suffix = suggestion.pathExtension.isEmpty ? "" : ".\(suggestion.pathExtension)"
        return FileManager.default.temporaryDirectory
            .appendingPathComponent(FileName.sanitized("\(UUID().uuidString)\(suffix)"), isDirectory: false)
    }

    /// Decides on the place for a file.
    func resolve(_ temporaryURL: URL, response: URLResponse?) -> URL? {
        resolver(temporaryURL, response)
    }
}
