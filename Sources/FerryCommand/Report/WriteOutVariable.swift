import Ferry

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

    func value(in report: TransferReport) -> WriteOutValue {
        let last = report.requests.last
        switch self {
        case .url: return .text(report.url)
        case .urlEffective: return .text(last?.url ?? report.url)
        case .urlNumber: return .integer(Int64(report.index))
        case .method: return .text(last?.method ?? report.method)
        case .scheme: return .text((last?.url ?? report.url).prefix { $0 != ":" }.lowercased())
        case .httpCode, .responseCode: return .status(last?.status ?? 0)
        case .httpVersion: return .text(Self.version(last?.protocolName))
        case .contentType: return .optional(report.contentType)
        case .fileName: return .optional(report.file)
        case .redirectCount: return .integer(Int64(report.redirectCount))
        case .requestCount: return .integer(Int64(report.requests.count))
        case .connectionCount: return .integer(Int64(report.requests.filter { $0.connect > 0 && !$0.isReused }.count))
        case .remoteAddress: return .optional(last?.remoteAddress)
        case .remotePort: return .integer(Int64(last?.remotePort ?? 0))
        case .sizeDownload: return .integer(last?.bytesReceived ?? 0)
        case .sizeUpload: return .integer(last?.bytesSent ?? 0)
        case .sizeHeader: return .integer(Int64(report.requests.reduce(0) { $0 + $1.headerBytes }))
        case .speedDownload: return .rate(of: last?.bytesReceived, in: report.duration)
        case .speedUpload: return .rate(of: last?.bytesSent, in: report.duration)
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
