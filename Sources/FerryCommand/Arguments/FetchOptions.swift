import Ferry

/// The validated options of a command line that transfers URLs.
struct FetchOptions: Equatable, Sendable {
    /// One value of `-d` or `--json`.
    enum BodyPart: Equatable, Sendable {
        case text(String)
        case file(String)

        /// Parses text, or the name of a file after an `@`.
        init(parsing value: String) {
            self = value.hasPrefix("@") ? .file(String(value.dropFirst())) : .text(value)
        }
    }

    var urls: [URL] = []
    var method: String?
    var headers: [HeaderLine] = []
    var body: [BodyPart] = []
    var json: [BodyPart] = []
    var form: [FormField] = []
    var uploadFile: String?
    /// The files of `-o`, for the URLs in order.
    var outputs: [String] = []
    var usesRemoteNames = false
    var continuesDownloads = false
    var includesHead = false
    var asksForHeadOnly = false
    var credential: Credential?
    var netrcFile: String?
    var followsRedirects = true
    /// The inactivity timeout in seconds; zero means no limit.
    var timeout = 60.0
    var maxTime: Double?
    var connectTimeout: Double?
    /// The time limit for everything that a transfer does and waits for, in seconds.
    var deadline: Double?
    var certificateFile: String?
    /// The public-key pins for every server; empty disables pinning.
    var pins: [PublicKeyPin] = []
    var proxy: URL?
    /// The largest number of retries; `nil` if none are wanted.
    var retries: Int?
    /// The time after which no retry is decided on, in seconds; zero means no limit.
    var retryMaxTime: Double?
    var retriesAllErrors = false
    var parallel = 1
    /// The file that lists more URLs.
    var batchFile: String?
    var dropsErrorBodies = false
    var writeOut: WriteOutFormat?
    var showsTimings = false
    /// The file of the JSON log; `-` is standard error.
    var eventLog: String?
    var timeline: TimelineFile?
    var isSilent = false
    var isVerbose = false

    /// The method of the request: the given one, or the default for the other options.
    var effectiveMethod: String {
        if let method { return method }
        if asksForHeadOnly { return "HEAD" }
        if uploadFile != nil { return "PUT" }
        return body.isEmpty && json.isEmpty && form.isEmpty ? "GET" : "POST"
    }

    /// The given options that set a body.
    var bodyOptions: [Option] {
        let all: [(option: Option, isGiven: Bool)] = [
            (.data, !body.isEmpty), (.json, !json.isEmpty), (.form, !form.isEmpty), (.uploadFile, uploadFile != nil),
        ]
        return all.filter(\.isGiven).map(\.option)
    }

    /// Whether the response head is written before the body.
    var writesHead: Bool { includesHead || asksForHeadOnly }

    /// Whether standard error carries the JSON log.
    var logsToStandardError: Bool { eventLog == "-" }

    /// Returns the destination of the body of the URL at `index`.
    func destination(at index: Int) -> Destination {
        if index < outputs.count { return outputs[index] == "-" ? .standardOutput : .file(outputs[index]) }
        return usesRemoteNames ? .remoteName : .standardOutput
    }
}

/// The credential of `-u` or `--oauth2-bearer`, which is sent with the first request.
enum Credential: Equatable, Sendable {
    /// A user name and a password, for HTTP Basic (RFC 7617).
    case basic(user: String, password: String)
    /// A token (RFC 6750).
    case bearer(String)

    /// The option that sets it.
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

/// The destination of a body.
enum Destination: Equatable, Sendable {
    case standardOutput
    case file(String)
    /// A file in the working directory, named by the server or the URL.
    case remoteName

    /// The file that the command line names, if any.
    var file: String? { if case .file(let path) = self { path } else { nil } }
}

/// A header field in the syntax of `-H`: `Name: value`, or `Name:` for an empty value.
struct HeaderLine: Equatable, Sendable {
    let name: String
    let value: String
}

extension HeaderLine {
    init(parsing line: String) throws(UsageError) {
        guard let colon = line.firstIndex(of: ":") else {
            // Only the first word is shown, because the rest may be a credential.
            throw UsageError("A header field needs a colon: '\(line.prefix { !$0.isWhitespace && $0 != "=" })'")
        }
        name = String(line[..<colon])
        value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        guard HeaderRule.isToken(name) else { throw UsageError("'\(name)' is not a valid header field name") }
        guard HeaderRule.isValue(value) else {
            throw UsageError("The value of \(name) has a line break")
        }
    }
}
