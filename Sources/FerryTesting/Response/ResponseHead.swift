import FerrySupport
import Foundation

/// The bytes of a response head.
struct ResponseHead {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(512)
    }

    /// Creates the head of a final response.
    init(_ response: LoopbackResponse, framing: ResponseFraming, closes: Bool, isVersion10: Bool) {
        self.init()
        if let raw = response.rawHead {
            bytes.append(contentsOf: raw)
            return
        }
        appendStatusLine(response.status, reason: response.reason)
        if response.sendsDate, response.headers["Date"] == nil { append("Date", Self.currentDate) }
        append(response.headers)
        switch framing {
        case .length(let count): append("Content-Length", String(count))
        case .none(let count?): append("Content-Length", String(count))
        case .chunked: appendChunkedFields(response)
        case .none, .untilClose, .asWritten: break
        }
        if response.headers["Connection"] == nil {
            if closes {
                append("Connection", "close")
            } else if isVersion10 {
                append("Connection", "keep-alive")
            }
        }
        appendText("\r\n")
    }

    /// Creates the head of an interim response.
    init(_ interim: LoopbackResponse.Interim) {
        self.init()
        appendStatusLine(interim.status, reason: nil)
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

    private mutating func appendText(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private static let formattedDate = Locked<(time: time_t, text: String)>((0, ""))

    /// The current date; the text is formatted once a second.
    private static var currentDate: String {
        let now = time(nil)
        if let text = formattedDate.withLock({ $0.time == now ? $0.text : nil }) { return text }
        let text = HTTPDate.string(from: Date(timeIntervalSince1970: TimeInterval(now)))
        formattedDate.withLock { $0 = (now, text) }
        return text
    }
}
