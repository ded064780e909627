import Ferry

/// The format of `--write-out`: text, `%{name}`, `%{json}`, `%%`, `\n`, `\r`, `\t` and `\\`.
struct WriteOutFormat: Equatable, Sendable {
    private enum Part: Equatable, Sendable {
        case text(String)
        case variable(WriteOutVariable)
        /// An object of all variables.
        case json
    }

    private var parts: [Part] = []

    /// Parses a format; throws an error that names the variable if it is unknown.
    init(parsing format: String) throws(UsageError) {
        var text = ""
        var rest = format[...]
        while let character = rest.popFirst() {
            switch (character, rest.first) {
            case ("%", "{"?):
                parts.append(.text(text))
                text = ""
                parts.append(try Self.variable(&rest))
            case ("%", "h"?) where rest.hasPrefix("header{"), ("%", "o"?) where rest.hasPrefix("output{"):
                throw UsageError("--write-out has neither %header{} nor %output{}")
            case ("%", "%"?):
                rest.removeFirst()
                text.append("%")
            case ("\\", let next?):
                rest.removeFirst()
                text += Self.escapes[next] ?? "\\\(next)"
            default: text.append(character)
            }
        }
        parts.append(.text(text))
    }

    private static let escapes: [Character: String] = ["n": "\n", "r": "\r", "t": "\t", "\\": "\\"]

    private static func variable(_ rest: inout Substring) throws(UsageError) -> Part {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "}") else {
            throw UsageError("--write-out has a %{ without a }")
        }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        if name == "json" { return .json }
        if let variable = WriteOutVariable(rawValue: name) { return .variable(variable) }
        let names = WriteOutVariable.allCases.map(\.rawValue) + ["json"]
        let nearest = NearestName.find(name, among: names).map { "; did you mean %{\($0)}?" } ?? ""
        throw UsageError("--write-out has no variable %{\(UsageError.shown(name))}" + nearest)
    }

    func text(for report: TransferReport) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            // The name of the file stays as it is; what a server sends must not control a terminal.
            case .variable(.fileName): WriteOutVariable.fileName.value(in: report).plain
            case .variable(let variable): TextStyle.printable(variable.value(in: report).plain)
            case .json: JSONLine(facts: report).text
            }
        }.joined()
    }
}

extension JSONLine {
    /// Creates an object of all variables of `--write-out`.
    init(facts report: TransferReport) {
        self.init()
        for variable in WriteOutVariable.allCases { add(variable.rawValue, variable.value(in: report)) }
    }
}

/// The variables of `--write-out`, with curl's names where the meaning is the same.
enum WriteOutVariable: String, CaseIterable, Sendable {
    case url
    case urlEffective = "url_effective"
    case urlNumber = "urlnum"
    case method
    case scheme
    case httpCode = "http_code"
    case responseCode = "response_code"
    case httpVersion = "http_version"
    case contentType = "content_type"
    case fileName = "filename_effective"
    case redirectCount = "num_redirects"
    case requestCount = "num_requests"
    case connectionCount = "num_connects"
    case remoteAddress = "remote_ip"
    case remotePort = "remote_port"
    case sizeDownload = "size_download"
    case sizeUpload = "size_upload"
    case sizeHeader = "size_header"
    case speedDownload = "speed_download"
    case speedUpload = "speed_upload"
    case timeQueued = "time_queue"
    case timeName = "time_namelookup"
    case timeConnect = "time_connect"
    case timeTLS = "time_appconnect"
    case timePretransfer = "time_pretransfer"
    case timeStartTransfer = "time_starttransfer"
    case timeRedirect = "time_redirect"
    case timeTotal = "time_total"
    case exitCode = "exitcode"
    case errorMessage = "errormsg"

    func value(in report: TransferReport) -> JSONLine.Value {
        let last = report.requests.last
        switch self {
        case .url: return .string(report.url)
        case .urlEffective: return .string(last?.url ?? report.url)
        case .urlNumber: return .integer(Int64(report.index))
        case .method: return .string(last?.method ?? report.method)
        case .scheme: return .string((last?.url ?? report.url).prefix { $0 != ":" }.lowercased())
        case .httpCode, .responseCode: return .status(report.requests.compactMap(\.status).last ?? 0)
        case .httpVersion: return .string(Self.version(last?.protocolName))
        case .contentType: return .optional(report.contentType)
        case .fileName: return .optional(report.file)
        case .redirectCount: return .integer(Int64(report.redirectCount))
        case .requestCount: return .integer(Int64(report.requests.count))
        case .connectionCount: return .integer(Int64(report.requests.filter { $0.connect > 0 && !$0.isReused }.count))
        case .remoteAddress: return .optional(last?.remoteAddress)
        case .remotePort: return .integer(Int64(last?.remotePort ?? 0))
        case .sizeDownload: return .integer(last?.bytesReceived ?? report.bytesReceived)
        case .sizeUpload: return .integer(last?.bytesSent ?? 0)
        case .sizeHeader: return .integer(Int64(report.requests.reduce(0) { $0 + $1.headerBytes }))
        case .speedDownload: return Self.rate(of: last?.bytesReceived, in: report.duration)
        case .speedUpload: return Self.rate(of: last?.bytesSent, in: report.duration)
        case .timeQueued: return .seconds(report.requests.first.map { $0.duration(of: .queued) } ?? 0)
        case .timeName: return .seconds(report.sum(\.nameLookup))
        case .timeConnect: return .seconds(report.sum(\.connect))
        case .timeTLS: return .seconds(report.sum(\.secureConnect))
        case .timePretransfer: return .seconds(report.sum(\.requestStart))
        case .timeStartTransfer: return .seconds(report.sum(\.responseStart))
        case .timeRedirect: return .seconds(report.timeBeforeLastRequest)
        case .timeTotal: return .seconds(report.duration)
        case .exitCode: return .integer(Int64(report.status.rawValue))
        case .errorMessage: return .optional(report.failure?.message)
        }
    }

    /// Returns the rate in whole bytes per second; zero for a duration of zero.
    private static func rate(of count: Int64?, in seconds: Double) -> JSONLine.Value {
        let rate = seconds > 0 ? Double(count ?? 0) / seconds : 0
        return .integer(Int64(exactly: rate.rounded()) ?? 0)
    }

    private static func version(_ name: String?) -> String {
        switch name {
        case "http/1.0"?: "1.0"
        case "http/1.1"?: "1.1"
        case "h2"?: "2"
        case "h3"?: "3"
        default: "0"
        }
    }
}
