/// The destination of a downloaded file.
///
/// The file is moved after the response has passed validation, as a whole or not at all. AFNetworking: the
/// `destination` block of its download tasks.
public struct DownloadDestination: Sendable {
    /// A function that returns the destination for a temporary file and its response; nil removes the file.
    public typealias Resolver = @Sendable (_ temporaryURL: URL, _ response: URLResponse?) -> URL?

    /// The treatment of existing files and missing directories; by default both are errors.
    public var options: Options

    let resolver: Resolver

    /// Creates a destination that `resolver` chooses once, after validation, on a queue of the library.
    public init(options: Options = [], resolver: @escaping Resolver) {
        self.options = options
        self.resolver = resolver
    }

    /// Returns the destination with a file URL.
    public static func file(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(options: options) { _, _ in url }
    }

    /// Returns a destination in a directory, with the server's or the URL's file name, made safe; see `FileName`.
    public static func directory(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(options: options) { _, response in
            url.appendingPathComponent(FileName.suggested(by: response), isDirectory: false)
        }
    }

    /// A new file in the system's temporary directory, which the caller must remove.
    public static let temporary = DownloadDestination(options: .createIntermediateDirectories) { _, response in
        let suggestion = FileName.suggested(by: response) as NSString
        let suffix = suggestion.pathExtension.isEmpty ? "" : ".\(suggestion.pathExtension)"
        return FileManager.default.temporaryDirectory
            .appendingPathComponent(FileName.sanitized("\(UUID.random.uuidString)\(suffix)"), isDirectory: false)
    }

    /// The treatment of an existing file and of missing directories at the destination.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The bits of the options.
        public let rawValue: Int

        /// Creates options from their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Replaces an existing file, in one step.
        public static let overwrite = Options(rawValue: 1 << 0)

        /// Creates missing directories.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 1)
    }
}
