/// An HTTP archive (HAR 1.2): recorded requests with their responses, in a file that browsers and other tools read.
///
/// Record one with ``HTTPArchiveRecorder``, and replay it with ``ArchiveTransport``.
///
/// ```swift
/// let archive = try HTTPArchive(
///     contentsOf: URL(fileURLWithPath: "Fixtures/users.har")
/// )
/// let transport = ArchiveTransport(archive)
/// ```
///
/// Fields that the format does not define are dropped when an archive is read. Source: the specification at
/// http://www.softwareishard.com/blog/har-12-spec/.
public struct HTTPArchive: Sendable, Hashable {
    /// The program that made an archive.
    public struct Creator: Sendable, Hashable, Codable {
        /// The name of the program.
        public var name: String
        /// The version of the program.
        public var version: String

        /// Creates a creator.
        public init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    /// The limits for reading an archive, which bound the memory that it can take.
    public struct Limits: Sendable, Hashable {
        /// The greatest number of bytes of the file; 128 MiB by default.
        public var fileSize = 128 << 20
        /// The greatest number of entries; 100,000 by default.
        public var entries = 100_000

        /// Creates the default limits, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }

    /// The version of the format, `1.2`.
    public var version = "1.2"
    /// The program that made the archive.
    public var creator = Creator(name: "Ferry", version: "1")
    /// The requests with their responses, in the order in which they were started.
    public var entries: [Entry]
    /// A comment.
    public var comment: String?

    /// Creates an archive.
    public init(entries: [Entry] = []) { self.entries = entries }

    /// Reads an archive from a file.
    ///
    /// - Parameters:
    ///   - url: The URL of a regular file.
    ///   - limits: The limits for its size.
    /// - Throws: ``HTTPArchiveError``.
    public init(contentsOf url: URL, limits: Limits = Limits()) throws(HTTPArchiveError) {
        let data: Data
        do {
            data = try RegularFile.contents(of: url.path, links: .follow, limit: max(0, limits.fileSize))
        } catch {
            if case .tooLarge(let limit) = error.reason { throw .tooLarge(limit: limit) }
            throw .unreadable(error.description)
        }
        try self.init(data: data, limits: limits)
    }

    /// Reads an archive from JSON.
    ///
    /// - Parameters:
    ///   - data: The JSON text in UTF-8, with or without a byte order mark.
    ///   - limits: The limits for its size.
    /// - Throws: ``HTTPArchiveError``.
    public init(data: Data, limits: Limits = Limits()) throws(HTTPArchiveError) {
        guard data.count <= limits.fileSize else { throw .tooLarge(limit: limits.fileSize) }
        let decoder = JSONDecoder()
        if let key = CodingUserInfoKey.entryLimit { decoder.userInfo[key] = limits.entries }
        let mark = Data([0xEF, 0xBB, 0xBF])
        do {
            self = try decoder.decode(HTTPArchive.self, from: data.starts(with: mark) ? data.dropFirst(3) : data)
        } catch let error as HTTPArchiveError {
            throw error
        } catch {
            throw HTTPArchiveError(decoding: error)
        }
    }

    /// The archive as JSON with sorted keys.
    ///
    /// - Throws: An `EncodingError` if a time is not a finite number.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Writes the archive to a file, which it replaces atomically.
    public func write(to url: URL) throws { try json().write(to: url, options: .atomic) }
}

/// An error of reading an ``HTTPArchive``.
public enum HTTPArchiveError: Error, Hashable, Sendable, DescribedError {
    /// The file cannot be read, for the reason in the text.
    case unreadable(String)
    /// The file has more bytes than the limit.
    case tooLarge(limit: Int)
    /// The archive has more entries than the limit.
    case tooManyEntries(limit: Int)
    /// The version of the format is not 1.
    case unsupportedVersion(String)
    /// The text is not an archive; it names the place and what is wrong.
    case malformed(String)

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .unreadable(let reason): "The archive cannot be read: \(reason)."
        case .tooLarge(let limit): "The archive has more than \(limit) bytes."
        case .tooManyEntries(let limit): "The archive has more than \(limit) entries."
        case .unsupportedVersion(let version):
            "The version of the archive is “\(String(version.unicodeScalars.prefix(40)))”, and not 1.2."
        case .malformed(let reason): "The file is not an HTTP archive: \(reason)."
        }
    }

    init(decoding error: any Error) {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            self = .malformed("\(Self.place(context.codingPath + [key])) is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self = .malformed("\(Self.place(context.codingPath)) has another type")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            self = .malformed("\(Self.place(context.codingPath)) is not valid")
        default: self = .malformed("it is not JSON")
        }
    }

    /// Returns a path such as `log.entries[3].request`.
    private static func place(_ path: [any CodingKey]) -> String {
        let text = path.reduce(into: "") { text, key in
            text += key.intValue.map { "[\($0)]" } ?? ((text.isEmpty ? "" : ".") + key.stringValue)
        }
        return text.isEmpty ? "the whole" : text
    }
}
