import Ferry

/// What the command line asks for, checked.
struct FetchOptions: Equatable, Sendable {
    /// A part of the body that `-d` or `--json` gives.
    enum BodyPart: Equatable, Sendable {
        case text(String)
        case file(String)

        /// Reads a text, or the name of a file behind an `@`.
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
    var followsRedirects = true
    /// Seconds without a byte; zero sets no limit.
    var timeout = 60.0
    var maxTime: Double?
    var connectTimeout: Double?
    var certificateFile: String?
    /// The public keys that every server is held to; none holds nobody to any.
    var pins: [PublicKeyPin] = []
    var proxy: URL?
    var parallel = 1
    /// The file with more URLs.
    var batchFile: String?
    var dropsErrorBodies = false
    var writeOut: WriteOutFormat?
    var showsTimings = false
    /// Where events go; `-` is standard error.
    var eventLog: String?
    var timeline: TimelineFile?
    var isSilent = false
    var isVerbose = false

    /// The method that goes out.
    var effectiveMethod: String {
        if let method { return method }
        if asksForHeadOnly { return "HEAD" }
        if uploadFile != nil { return "PUT" }
        return body.isEmpty && json.isEmpty && form.isEmpty ? "GET" : "POST"
    }

    /// The options that give a body.
    var bodyOptions: [Option] {
        var options: [Option] = []
        if !body.isEmpty { options.append(.data) }
        if !json.isEmpty { options.append(.json) }
        if !form.isEmpty { options.append(.form) }
        if uploadFile != nil { options.append(.uploadFile) }
        return options
    }

    /// Whether the response's head goes where its body goes.
    var writesHead: Bool { includesHead || asksForHeadOnly }

    /// Whether standard error is for a program to read.
    var logsToStandardError: Bool { eventLog == "-" }

    /// Where the body of the URL at `index` goes.
    func destination(at index: Int) -> Destination {
        if index < outputs.count { return outputs[index] == "-" ? .standardOutput : .file(outputs[index]) }
        return usesRemoteNames ? .remoteName : .standardOutput
    }
}

/// Where a body goes.
enum Destination: Equatable, Sendable {
    case standardOutput
    case file(String)
    /// A file in the working directory, whose name the server or the URL suggests.
    case remoteName
}
