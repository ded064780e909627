import Ferry
import Logging
import Metrics
import Synchronization
import Tracing

/// The target of a request, in the terms of OpenTelemetry's semantic conventions for HTTP clients.
struct RequestTarget: Sendable {
    /// The method, or `_OTHER` for a method outside the list of the conventions, which limits the number of values.
    let method: String
    /// The method as it is sent, if it is not in that list.
    let originalMethod: String?
    /// The URL without secrets.
    let url: String
    let scheme: String?
    let host: String?
    let port: Int?

    init(_ request: URLRequest, _ redaction: Redaction) {
        let sent = request.httpMethod ?? "GET"
        let isKnown = Self.knownMethods.contains(sent)
        (method, originalMethod) = isKnown ? (sent, nil) : ("_OTHER", sent)
        url = request.url.map { redaction.redacted($0) } ?? ""
        scheme = request.url?.scheme?.lowercased()
        host = request.url?.host(percentEncoded: false)?.lowercased()
        port = request.url?.port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil)
    }

    private static let knownMethods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The name of the span of an attempt.
    var spanName: String { originalMethod == nil ? method : "HTTP" }

    func set(in attributes: inout SpanAttributes) {
        attributes["http.request.method"] = method
        attributes["http.request.method_original"] = originalMethod
        attributes["url.full"] = url
        attributes["url.scheme"] = scheme
        attributes["server.address"] = host
        attributes["server.port"] = port
    }

    /// The dimensions of the metrics, which have few values for each server.
    var dimensions: [(String, String)] {
        var dimensions = [("http.request.method", method)]
        if let host { dimensions.append(("server.address", host)) }
        if let port { dimensions.append(("server.port", "\(port)")) }
        if let scheme { dimensions.append(("url.scheme", scheme)) }
        return dimensions
    }

    var metadata: Logger.Metadata {
        ["http.request.method": "\(originalMethod ?? method)", "url.full": "\(url)"]
    }
}

/// How an attempt or a call has ended.
struct AttemptEnd {
    let status: Int?
    let protocolVersion: String?
    let isFromCache: Bool
    /// The status of a failure as text, or the code of a ``NetworkError``; `nil` if it is a success.
    let errorType: String?
    /// A description of the error.
    let message: String?

    /// Creates an outcome.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - error: The error, or `nil`.
    ///   - message: A description of the error; `nil` for the error's own.
    ///   - protocolName: The ALPN name of the protocol.
    ///   - isFromCache: Whether the response came from the cache.
    ///   - isFailureByStatus: Whether a status from 400 is a failure without an error too.
    init(
        status: Int? = nil,
        error: (any Error)? = nil,
        message: String? = nil,
        protocolName: String? = nil,
        isFromCache: Bool = false,
        isFailureByStatus: Bool = true
    ) {
        self.status = status
        self.isFromCache = isFromCache
        protocolVersion = protocolName.map(Self.version)
        let error = error.map { NetworkError(transport: $0) }
        self.message = message ?? error?.message
        if let code = error?.code, code != .unacceptableStatusCode {
            errorType = code.rawValue
        } else if let status, error != nil || (isFailureByStatus && status >= 400) {
            errorType = "\(status)"
        } else {
            errorType = error?.code.rawValue
        }
    }

    /// Returns the version that belongs to an ALPN name (RFC 7301), such as `2` for `h2`.
    private static func version(_ name: String) -> String {
        switch name {
        case "h2", "h2c": "2"
        case "h3": "3"
        default: name.hasPrefix("http/") ? String(name.dropFirst(5)) : name
        }
    }

    func set(in span: any Tracing.Span) {
        span.updateAttributes { attributes in
            attributes["http.response.status_code"] = status
            attributes["error.type"] = errorType
            attributes["network.protocol.version"] = protocolVersion
            if isFromCache { attributes["ferry.from_cache"] = true }
        }
        // The error itself is not recorded, since its failing URL may have a secret in the query.
        if errorType != nil { span.setStatus(SpanStatus(code: .error, message: message)) }
    }

    var dimensions: [(String, String)] {
        var dimensions: [(String, String)] = []
        if let status { dimensions.append(("http.response.status_code", "\(status)")) }
        if let errorType { dimensions.append(("error.type", errorType)) }
        if let protocolVersion { dimensions.append(("network.protocol.version", protocolVersion)) }
        return dimensions
    }
}

/// The number of requests that are being sent or answered, by target.
///
/// It is counted here, because not every metrics system can add to a gauge.
final class ActiveRequests: Sendable {
    private struct Key: Hashable {
        let values: [String]
    }

    private struct State {
        var counts: [Key: Int] = [:]
        var reports: [(meter: Meter, count: Int)] = []
        var isReporting = false

        mutating func nextReport() -> (meter: Meter, count: Int)? {
            guard reports.isEmpty else { return reports.removeFirst() }
            isReporting = false
            return nil
        }
    }

    private let state = Mutex(State())

    /// Adds to the number of active requests to a target, and reports it.
    func add(_ number: Int, to target: RequestTarget, _ metrics: any MetricsFactory) {
        let dimensions = target.dimensions
        let meter = Meter(label: "http.client.active_requests", dimensions: dimensions, factory: metrics)
        let key = Key(values: dimensions.map(\.1))
        let mustReport = state.withLock { state in
            let count = (state.counts[key] ?? 0) + number
            state.counts[key] = count == 0 ? nil : count
            state.reports.append((meter, count))
            defer { state.isReporting = true }
            return !state.isReporting
        }
        // One thread reports at a time, in order, so that the last report is the current number.
        while mustReport, let report = state.withLock({ $0.nextReport() }) { report.meter.set(report.count) }
    }
}
