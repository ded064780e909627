import Foundation

/// One piece of work for a client, passed on its command line.
public struct WorkOrder: Sendable, Equatable {
    /// The work to do.
    public var work: Work

    /// The API of the client to use.
    public var face: String

    /// The URL to request.
    public var url: URL

    /// The number of requests.
    public var count: Int

    /// The number of concurrent requests.
    public var inFlight: Int

    /// The largest number of connections; nil for the client's default.
    public var connections: Int?

    /// The expected size of each body, of the response or of the upload, in bytes.
    public var bytes: Int

    /// The number of requests before the measured ones, which open connections and fill caches.
    public var warmUp: Int

    /// The file to write or to send.
    public var file: URL?

    /// The certificate authority to trust.
    public var authority: URL?

    /// Creates an order.
    public init(work: Work, face: String, url: URL, count: Int = 1, inFlight: Int = 1, bytes: Int = 0) {
        self.work = work
        self.face = face
        self.url = url
        self.count = count
        self.inFlight = inFlight
        self.bytes = bytes
        warmUp = 0
    }

    /// The words of the command line.
    public var arguments: [String] {
        var words = ["--work", work.rawValue, "--face", face, "--url", url.absoluteString]
        words += ["--count", "\(count)", "--in-flight", "\(inFlight)", "--bytes", "\(bytes)", "--warm-up", "\(warmUp)"]
        if let connections { words += ["--connections", "\(connections)"] }
        if let file { words += ["--file", file.path] }
        if let authority { words += ["--authority", authority.path] }
        return words
    }

    /// Returns the file to write or to send, or throws if the order names none.
    public func requiredFile() throws -> URL {
        guard let file else { throw BenchmarkError("--file is missing") }
        return file
    }

    /// Parses a command line.
    public init(arguments: [String]) throws {
        let options = try Options(arguments)
        guard let work = Work(rawValue: try options.required("work")) else {
            throw BenchmarkError("There is no work called \(try options.required("work"))")
        }
        guard let url = URL(string: try options.required("url")) else {
            throw BenchmarkError("\(try options.required("url")) is not a URL")
        }
        self.init(
            work: work,
            face: try options.required("face"),
            url: url,
            count: try options.integer("count") ?? 1,
            inFlight: try options.integer("in-flight") ?? 1,
            bytes: try options.integer("bytes") ?? 0
        )
        warmUp = try options.integer("warm-up") ?? 0
        connections = try options.integer("connections")
        file = options["file"].map { URL(fileURLWithPath: $0) }
        authority = options["authority"].map { URL(fileURLWithPath: $0) }
    }
}
