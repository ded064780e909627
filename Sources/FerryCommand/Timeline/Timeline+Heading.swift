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
        typealias Layout = TimelineLayout
        var lines = [
            XMLText.text(title, x: Layout.margin, y: 34, style: "f-title"),
            XMLText.text(summary, x: Layout.margin, y: 54, style: "f-soft"),
        ]
        var x = Layout.chart
        for phase in RequestPhase.allCases {
            lines.append(XMLText.bar(x: x, y: 44, width: 12, height: 12, style: phase.style))
            lines.append(XMLText.text(phase.rawValue, x: x + 17, y: 54, style: "f-soft"))
            x += 17 + Double(phase.rawValue.count) * 7 + 18
        }
        lines.append(TimelineLayout.cross(x: x + 5, y: 50))
        lines.append(XMLText.text("failed", x: x + 15, y: 54, style: "f-soft"))
        return lines + Layout.columnHeads
    }

    var grid: [String] {
        axis.ticks.flatMap { tick -> [String] in
            let x = TimelineLayout.chart + tick.fraction * TimelineLayout.chartWidth
            let line =
                "<line class=\"f-grid\" x1=\"\(XMLText.number(x))\" x2=\"\(XMLText.number(x))\" "
                + "y1=\"\(XMLText.number(TimelineLayout.firstRow - 4))\" "
                + "y2=\"\(XMLText.number(height - TimelineLayout.margin))\"/>"
            let style = tick.fraction == 0 ? "f-soft" : "f-soft f-middle"
            return [line, XMLText.text(tick.label, x: x, y: TimelineLayout.headLine, style: style)]
        }
    }
}
