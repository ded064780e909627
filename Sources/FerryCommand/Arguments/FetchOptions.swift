import Ferry
import FerryTransfers

/// The validated options of a command line that transfers URLs.
struct FetchOptions: Equatable, Sendable {
    var urls: [URL] = []
    var method: String?
    var headers: [HeaderLine] = []
    /// The fields of `-A`, `-e` and `-r`; those of `-H` replace them.
    var ownHeaders: [HeaderLine] = []
    /// Whether redirects set `Referer` to the previous URL.
    var setsReferer = false
    /// Whether a compressed body is requested even if it goes to a file.
    var asksForCompression = false
    var body: [BodyPart] = []
    var sendsDataInQuery = false
    var json: [BodyPart] = []
    var form: [FormField] = []
    var items: [RequestItem] = []
    /// Whether the items are sent as a form although they have no file.
    var wantsForm = false
    var uploadFile: String?
    /// The files of `-o`, for the URLs in order; `nil` for `-O`.
    var outputs: [String?] = []
    var outputFolder: String?
    var createsFolders = false
    var continuesDownloads = false
    /// The number of connections for a file; `nil` for one stream that may also be piped.
    var connections: Int?
    var mirrors: [URL] = []
    var checksum: ContentDigest?
    var includesHead = false
    /// The file for the heads of redirects and responses; `-` is standard output.
    var headFile: String?
    var asksForHeadOnly = false
    /// Whether the modification time of a file is set to that of `Last-Modified`.
    var keepsRemoteTime = false
    var timeCondition: TimeCondition?
    var credential: Credential?
    /// Whether the credential is sent only in answer to a Digest challenge.
    var usesDigest = false
    var netrcFile: String?
    /// The cookies of `-b`, as text for the field `Cookie`.
    var cookies: [String] = []
    var cookieFiles: [String] = []
    /// The file that all cookies are written to; `-` is standard output.
    var cookieJar: String?
    var followsRedirects = true
    /// The largest number of redirects; `nil` for the session's default.
    var maxRedirects: Int?
    /// The inactivity timeout in seconds; zero means no limit.
    var timeout = 60.0
    var maxTime: Double?
    var connectTimeout: Double?
    /// The time limit for everything that a transfer does and waits for, in seconds.
    var deadline: Double?
    var certificateFile: String?
    var acceptsAnyCertificate = false
    var clientCertificate: CertificateArgument?
    /// The file of the client certificate's private key.
    var keyFile: String?
    /// The public-key pins for every server; empty disables pinning.
    var pins: [PublicKeyPin] = []
    var proxy: ProxyArgument?
    /// The addresses of hosts, by `host:port`.
    var addresses: [String: [String]] = [:]
    /// The resolver that is asked for names over HTTPS; `nil` for the system's.
    var resolverURL: URL?
    var ipVersion = NetworkOptions.IPVersion.any
    var localEndpoint: NetworkOptions.LocalEndpoint?
    var httpVersions = HTTPVersions.automatic
    var unixSocket: String?
    /// The most bytes per second in each direction; `nil` for no limit.
    var rate: Int?
    /// The largest number of retries; `nil` if none are wanted.
    var retries: Int?
    /// The time after which no retry is begun, in seconds; zero means no limit.
    var retryMaxTime: Double?
    var retriesAllErrors = false
    /// The delay before each retry, in seconds; zero means the default.
    var retryDelay: Double?
    var parallelMax: Int?
    /// The number of transfers that run at a time.
    var parallel: Int { parallelMax ?? 1 }
    /// The file that lists more URLs.
    var batchFile: String?
    /// The output files that the batch file names for some URLs, by the URLs' indices.
    var batchOutputs: [Int: String] = [:]
    var dropsErrorBodies = false
    /// Whether the body of an HTTP error is written also to a file.
    var savesErrorBodies = false
    var writeOut: WriteOutFormat?
    var showsTimings = false
    /// The file of the JSON log; `-` is standard error.
    var eventLog: String?
    var timeline: TimelineFile?
    var isSilent = false
    var isVerbose = false
    /// The time between the pings of a WebSocket, in seconds.
    var pingInterval: Double?
    /// The elements of a stream that are written one by one; `nil` for whole bodies.
    var streamFormat: StreamFormat?
    /// Whether the messages of a WebSocket are binary.
    var isBinary = false

    /// The method of the request: the given one, or the default for the other options.
    var effectiveMethod: String {
        if let method { return method }
        if asksForHeadOnly { return "HEAD" }
        if uploadFile != nil { return "PUT" }
        return bodyOptions.isEmpty && !hasDataItems ? "GET" : "POST"
    }

    var bodyOptions: [Option] {
        Self.given([
            .data: !body.isEmpty && !sendsDataInQuery, .json: !json.isEmpty, .form: !form.isEmpty,
            .uploadFile: uploadFile != nil,
        ])
    }

    /// Whether the request is a GET without a body, which a new task can send again for the rest of a download.
    var isPlainGet: Bool { effectiveMethod == "GET" && bodyOptions.isEmpty && !hasDataItems }
    /// Whether the options allow a later run to continue a file of this one.
    var canContinue: Bool { isPlainGet && !writesHead && ownRange == nil }
    /// The field of the request that asks for a range, if there is one.
    var ownRange: HeaderLine? {
        (headers + ownHeaders).first { ["range", "if-range"].contains($0.name.lowercased()) }
    }

    /// The given options that need a download with parts and a check.
    var verifiedOptions: [Option] {
        Self.given([.connections: connections != nil, .mirror: !mirrors.isEmpty, .checksum: checksum != nil])
    }

    /// Returns the options for which there is a value, in this order.
    static func given(_ options: KeyValuePairs<Option, Bool>) -> [Option] { options.filter(\.value).map(\.key) }

    var hasDataItems: Bool { items.contains(where: \.isData) }
    /// Whether the items make a form instead of a JSON object; JSON cannot contain files.
    var sendsItemsAsForm: Bool { wantsForm || items.contains { $0.kind == .file } }

    var itemQuery: String {
        items.filter { $0.kind == .query }
            .map { QueryText.encoded($0.name.utf8) + "=" + QueryText.encoded($0.value.utf8) }
            .joined(separator: "&")
    }

    var accept: String {
        if !json.isEmpty { return "application/json" }
        return hasDataItems && !sendsItemsAsForm ? "application/json, */*;q=0.5" : "*/*"
    }

    /// Whether the body at `index` is written to a terminal even if it is binary.
    func writesBinary(at index: Int) -> Bool { outputName(at: index).map(Self.isStandardOutput) ?? false }

    /// Whether the response head is written before the body.
    var writesHead: Bool { includesHead || asksForHeadOnly }

    var logsToStandardError: Bool { eventLog == "-" }

    var hasStandardOutput: Bool { urls.indices.contains { destination(at: $0) == .standardOutput } }

    func destination(at index: Int) -> Destination {
        if let name = outputName(at: index) {
            if Self.isStandardOutput(name) { return .standardOutput }
            return .file(ProcessDescriptor.number(name) == nil ? path(of: name) : name)
        }
        return usesRemoteNames ? .remoteName : .standardOutput
    }

    /// Returns the name that the user has given to the file of the URL at `index`, or `nil`.
    func outputName(at index: Int) -> String? {
        if index < outputs.count, let name = outputs[index] { return name }
        return batchOutputs[index]
    }

    /// Whether `-O` is given, which also applies to URLs without their own `-o` or `-O`.
    var usesRemoteNames: Bool { outputs.contains { $0 == nil } }
    var hasOutputNames: Bool { outputs.contains { $0 != nil } }

    /// Adds the URLs of the batch file, and the names of their files.
    mutating func addBatch() throws(CommandFailure) {
        guard let batchFile else { return }
        for entry in try URLArgument.entries(inBatch: batchFile) {
            batchOutputs[urls.count] = entry.output
            urls.append(entry.url)
        }
    }

    private static func isStandardOutput(_ name: String) -> Bool { name == "-" || name == "/dev/stdout" }

    /// Returns the path of an output file, which is in the folder of `--output-dir` if there is one.
    func path(of name: String) -> String { outputFolder.map { $0 + "/" + name } ?? name }

    /// Whether `-H`, `-A`, `-e` or `-r` gives or removes the field of this name.
    func hasHeader(_ name: String) -> Bool {
        (headers + ownHeaders).contains { $0.name.lowercased() == name.lowercased() }
    }
}

/// The credential of `-u` or `--oauth2-bearer`, which is sent with the first request.
enum Credential: Equatable, Sendable {
    /// A user name and a password, for HTTP Basic (RFC 7617).
    case basic(user: String, password: String)
    /// A token (RFC 6750).
    case bearer(String)

    var option: Option {
        switch self {
        case .basic: .user
        case .bearer: .oauth2Bearer
        }
    }

    /// The `Authorization` field; the session removes it where a redirect leads to another origin.
    var header: HTTPHeader {
        switch self {
        case .basic(let user, let password): .basic(username: user, password: password)
        case .bearer(let token): .bearer(token)
        }
    }
}

extension Credential {
    /// Parses `NAME:PASSWORD`; the name ends at the first colon (RFC 7617, section 2).
    init(parsingUser value: String) throws(UsageError) {
        // The value is a secret, which no message may contain.
        guard let colon = value.firstIndex(of: ":") else { throw UsageError("--user takes NAME:PASSWORD") }
        self = .basic(user: String(value[..<colon]), password: String(value[value.index(after: colon)...]))
    }

    init(parsingToken value: String) throws(UsageError) {
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UsageError("--oauth2-bearer takes a token of visible ASCII characters")
        }
        self = .bearer(value)
    }
}

enum Destination: Equatable, Sendable {
    case standardOutput
    case file(String)
    /// A file in the working directory, named by the server or the URL.
    case remoteName

    /// The file that the command line names, if any.
    var file: String? { if case .file(let path) = self { path } else { nil } }
}
