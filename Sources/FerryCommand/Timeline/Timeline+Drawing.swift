extension Timeline {
    private typealias Layout = TimelineLayout

    /// Returns the background stripe of a row; the rows of every other URL have one.
    func stripes(_ row: Row) -> [String] {
        guard row.isStriped else { return [] }
        let width = Layout.width - 2 * Layout.margin + 12
        return [XMLText.bar(x: Layout.margin - 6, y: row.top, width: width, height: row.height, style: "f-stripe")]
    }

    func lines(_ row: Row) -> [String] {
        let request = row.request
        let base = row.top + 16
        let failed = request.isFailed ? " f-bad" : ""
        let indent = row.isFollowing ? Layout.indent : 0
        let letters = Layout.urlLetters - (row.isFollowing ? 2 : 0)
        let x = Layout.margin + indent
        let name = TextStyle.shortened(label(request), to: letters)
        var lines = ["<g><title>\(XMLText.escaped(details(request)))</title>"]
        if row.isFollowing { lines.append(elbow(row)) }
        lines.append(XMLText.text(name, x: x, y: base, style: "f-url" + failed))
        let isBadStatus = request.isFailed && !(100..<400).contains(request.status ?? 0)
        let cells = [
            (request.status.map(String.init) ?? "-", Layout.status, isBadStatus ? failed : ""),
            (request.protocolName ?? "-", Layout.protocolName, ""),
            (connection(request), Layout.connection, " f-soft"),
            (ByteText.text(request.bytesReceived), Layout.sizeEnd, " f-end"),
            (ByteText.elapsed(request.end), Layout.timeEnd, " f-end"),
        ]
        lines += cells.map { XMLText.text($0.0, x: $0.1, y: base, style: "f-cell" + $0.2) }
        lines += bars(row)
        if let note = row.note {
            let text = TextStyle.shortened(note, to: Layout.noteLetters - (row.isFollowing ? 2 : 0))
            lines.append(XMLText.text(text, x: x, y: base + Layout.noteHeight, style: "f-note f-bad"))
        }
        return lines + ["</g>"]
    }

    private func bars(_ row: Row) -> [String] {
        let narrowest = 1.0
        var bars: [String] = []
        var end = 0.0
        for span in row.request.spans {
            let from = position(span.from)
            let width = max(position(span.to) - from, narrowest)
            let (top, height) = span.phase.isBeforeStart ? (10.0, 4.0) : (6, 12)
            bars.append(XMLText.bar(x: from, y: row.top + top, width: width, height: height, style: span.phase.style))
            end = from + width
        }
        if row.request.isFailed {
            bars.append(Layout.cross(x: max(end, position(row.request.start)) + 9, y: row.top + 12))
        }
        return bars
    }

    private func position(_ seconds: Double) -> Double {
        Layout.chart + axis.fraction(of: seconds) * Layout.chartWidth
    }

    /// Returns the arrow from the row of the previous request.
    private func elbow(_ row: Row) -> String {
        let (x, y) = (XMLText.number(Layout.margin + 4), XMLText.number(row.top + 3))
        return "<path class=\"f-elbow\" d=\"M\(x) \(y)v9h7m-3 -3l3 3l-3 3\"/>"
    }

    private func label(_ request: RequestTiming) -> String {
        request.method == "GET" ? request.url : request.method + " " + request.url
    }

    private func connection(_ request: RequestTiming) -> String {
        if request.isCached { return "cache" }
        if request.isReused { return "reused" }
        return request.connect > 0 ? "new" : "-"
    }

    /// Returns all details of a request, which are shown when the pointer is over its row.
    private func details(_ request: RequestTiming) -> String {
        var lines = [label(request)]
        if let address = request.remoteAddress {
            lines.append("from " + VerboseText.authority(address, request.remotePort))
        }
        lines += request.spans.map { "\($0.phase.rawValue): \(ByteText.elapsed($0.to - $0.from))" }
        if request.bytesSent > 0 { lines.append("sent: " + ByteText.text(request.bytesSent)) }
        if let failure = request.failure { lines.append(failure) }
        return lines.joined(separator: "\n")
    }
}

/// The heading above the rows, and the grid lines behind them.
extension Timeline {
    var title: String { "ferry, " + startedAt }

    /// A summary such as `12 requests, 2 failed, 1.3 MB received, 1.25 s`.
    private var summary: String {
        let failed = requests.filter(\.isFailed).count
        let reused = requests.filter(\.isReused).count
        var parts = ["\(requests.count) request\(requests.count == 1 ? "" : "s")"]
        if failed > 0 { parts.append("\(failed) failed") }
        if reused > 0 { parts.append("\(reused) on a reused connection") }
        parts.append(ByteText.text(requests.reduce(0) { $0 + $1.bytesReceived }) + " received")
        let sent = requests.reduce(0) { $0 + $1.bytesSent }
        if sent > 0 { parts.append(ByteText.text(sent) + " sent") }
        parts.append(ByteText.elapsed(axis.end))
        return parts.joined(separator: ", ")
    }

    var heading: [String] {
        let lines = [
            XMLText.text(title, x: Layout.margin, y: 34, style: "f-title"),
            XMLText.text(summary, x: Layout.margin, y: 54, style: "f-soft"),
        ]
        return lines + Layout.legend + Layout.columnHeads
    }

    var axisLabels: [String] {
        axis.ticks.map { tick in
            let style = tick.fraction == 0 ? "f-soft" : "f-soft f-middle"
            return XMLText.text(tick.label, x: Layout.x(of: tick), y: Layout.headLine, style: style)
        }
    }

    var gridLines: [String] {
        gridLines(from: XMLText.number(Layout.firstRow - 4), to: XMLText.number(height - Layout.margin))
    }

    /// Returns the grid lines between two vertical positions, in pixels or in percent.
    func gridLines(from top: String, to bottom: String) -> [String] {
        axis.ticks.map { tick in
            let x = XMLText.number(Layout.x(of: tick))
            return "<line class=\"f-grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(top)\" y2=\"\(bottom)\"/>"
        }
    }
}
