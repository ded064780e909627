struct HeadWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    init(_ response: LoopbackResponse, framing: ResponseFraming, closes: Bool, isVersion10: Bool) {
        self.init()
        if let raw = response.rawHead {
            bytes.append(contentsOf: raw)
            return
        }
        appendStatusLine(response.statusCode, reason: response.reason)
        if response.sendsDate, response.headers["Date"] == nil { append("Date", Self.currentDate) }
        append(response.headers)
        switch framing {
        case .length(let count), .none(let count?): append("Content-Length", String(count))
        case .chunked: appendChunkedFields(response)
        case .none, .untilClose, .asWritten: break
        }
        if closes || isVersion10, response.headers["Connection"] == nil {
            append("Connection", closes ? "close" : "keep-alive")
        }
        appendText("\r\n")
    }

    init(_ interim: LoopbackResponse.Interim) {
        self.init()
        appendStatusLine(interim.statusCode, reason: nil)
        append(interim.headers)
        appendText("\r\n")
    }

    private mutating func appendStatusLine(_ status: Int, reason: String?) {
        appendText("HTTP/1.1 ")
        appendText(String(status))
        appendText(" ")
        appendText(reason ?? ReasonPhrase.of(status))
        appendText("\r\n")
    }

    private mutating func appendChunkedFields(_ response: LoopbackResponse) {
        append("Transfer-Encoding", "chunked")
        if case .chunked(_, let trailers, _) = response.body, !trailers.isEmpty, response.headers["Trailer"] == nil {
            append("Trailer", trailers.map(\.name).joined(separator: ", "))
        }
    }

    private mutating func append(_ headers: LoopbackHeaders) {
        for field in headers.fields { append(field.name, field.value) }
    }

    private mutating func append(_ name: String, _ value: String) {
        appendText(name)
        appendText(": ")
        appendText(value)
        appendText("\r\n")
    }

    private mutating func appendText(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private static let formattedDate = Mutex<(time: time_t, text: String)>((0, ""))

    /// The current date; the text is formatted once a second.
    private static var currentDate: String {
        let now = time(nil)
        if let text = formattedDate.withLock({ $0.time == now ? $0.text : nil }) { return text }
        let text = HTTPDate.string(from: Date(timeIntervalSince1970: TimeInterval(now)))
        formattedDate.withLock { $0 = (now, text) }
        return text
    }
}

/// The standard reason phrases (RFC 9110 section 15).
enum ReasonPhrase {
    static func of(_ status: Int) -> String { phrases[status] ?? "Status \(status)" }

    private static let phrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content", 207: "Multi-Status",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 417: "Expectation Failed", 418: "I'm a Teapot", 421: "Misdirected Request",
        422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
    ]
}
