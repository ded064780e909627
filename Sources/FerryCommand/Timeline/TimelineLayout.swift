/// The layout of a timeline, in pixels.
enum TimelineLayout {
    static let width = 1280.0
    static let margin = 20.0
    /// The base line of the column headings and the axis labels.
    static let headLine = 88.0
    static let firstRow = 98.0
    static let rowHeight = 24.0
    static let noteHeight = 16.0

    // MARK: - Columns

    static let urlWidth = 402.0
    static let status = 432.0
    static let protocolName = 480.0
    static let connection = 542.0
    /// The right edges of the columns of numbers.
    static let sizeEnd = 656.0
    static let timeEnd = 730.0
    static let chart = 750.0
    /// The width of the chart; it leaves room for the cross of a failure on its right.
    static let chartWidth = width - margin - 18 - chart

    /// The number of letters that fit into the URL column, with the widest of the usual fonts.
    static let urlLetters = 55
    static let noteLetters = 96
    static let indent = 16.0

    static var columnHeads: [String] {
        [
            ("URL", margin, ""), ("status", status, ""), ("protocol", protocolName, ""),
            ("conn.", connection, ""), ("size", sizeEnd, " f-end"), ("time", timeEnd, " f-end"),
        ].map { XMLText.text($0.0, x: $0.1, y: headLine, style: "f-soft" + $0.2) }
    }

    static func x(of tick: TimelineAxis.Tick) -> Double { chart + tick.fraction * chartWidth }

    /// The colours of the phases and their names, above the chart and up to its right edge.
    static var legend: [String] {
        let phases = RequestPhase.allCases
        let widths = (phases.map(\.rawValue) + ["failed"]).map { 17 + Double($0.count) * 7 + 18 }
        var x = width - margin - widths.reduce(0, +)
        var lines: [String] = []
        for (phase, width) in zip(phases, widths) {
            lines.append(XMLText.bar(x: x, y: 44, width: 12, height: 12, style: phase.style))
            lines.append(XMLText.text(phase.rawValue, x: x + 17, y: 54, style: "f-soft"))
            x += width
        }
        return lines + [cross(x: x + 5, y: 50), XMLText.text("failed", x: x + 15, y: 54, style: "f-soft")]
    }

    /// Returns the clip paths that keep long texts out of the next column in every font.
    static func clips(height: Double) -> String {
        func clip(_ name: String, to end: Double) -> String {
            "<clipPath id=\"\(name)\"><rect x=\"0\" y=\"0\" width=\"\(XMLText.number(end))\" "
                + "height=\"\(XMLText.number(height))\"/></clipPath>"
        }
        return clip("f-url", to: margin + urlWidth) + clip("f-note", to: timeEnd)
    }

    /// Returns the cross that marks a failure, centred on a point.
    static func cross(x: Double, y: Double) -> String {
        let (left, right) = (XMLText.number(x - 4), XMLText.number(x + 4))
        let (top, bottom) = (XMLText.number(y - 4), XMLText.number(y + 4))
        return "<path class=\"f-cross\" d=\"M\(left) \(top)L\(right) \(bottom)M\(left) \(bottom)L\(right) \(top)\"/>"
    }
}

/// The style sheet of a timeline; class names begin with `f-`, so that they do not clash with those of a page.
enum TimelineStyle {
    static let text = """
        .ferry { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
        .ferry text { fill: #1c2127; white-space: pre; }
        .ferry .f-title { font-size: 17px; font-weight: 600; }
        .ferry .f-url { font: 12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; \
        clip-path: url(#f-url); }
        .ferry .f-note { font-size: 11px; clip-path: url(#f-note); }
        .ferry .f-soft { fill: #5b6672; }
        .ferry .f-bad { fill: #c02020; font-weight: 600; }
        .ferry .f-note { font-weight: 400; }
        .ferry .f-end { text-anchor: end; }
        .ferry .f-middle { text-anchor: middle; }
        .ferry .f-cell { font-variant-numeric: tabular-nums; }
        .f-page { fill: #ffffff; }
        .f-stripe { fill: #f3f5f7; }
        .f-grid { stroke: #d9dee3; stroke-width: 1; }
        .f-cross { stroke: #c02020; stroke-width: 2; fill: none; }
        .f-elbow { stroke: #7a8590; stroke-width: 1; fill: none; }
        .f-turn { fill: #d9c48f; }
        .f-queued { fill: #b4bcc5; }
        .f-dns { fill: #12908e; }
        .f-connect { fill: #e8912d; }
        .f-tls { fill: #9a55d4; }
        .f-wait { fill: #57a639; }
        .f-receive { fill: #2f78d6; }
        @media (prefers-color-scheme: dark) {
        .ferry text { fill: #e6e9ec; }
        .ferry .f-soft { fill: #9aa5b1; }
        .ferry .f-bad { fill: #ff7b72; }
        .f-page { fill: #14181d; }
        .f-stripe { fill: #1c2229; }
        .f-grid { stroke: #313a44; }
        .f-cross { stroke: #ff7b72; }
        .f-elbow { stroke: #8b96a2; }
        .f-turn { fill: #85754a; }
        .f-queued { fill: #5d6874; }
        .f-dns { fill: #35bdb9; }
        .f-connect { fill: #f0a44b; }
        .f-tls { fill: #b884e8; }
        .f-wait { fill: #74c15a; }
        .f-receive { fill: #5b9df0; }
        }

        """
}

extension RequestPhase {
    var style: String { self == .turn ? "f-turn" : "f-" + rawValue.lowercased() }

    /// Whether the phase precedes the start of the request, and is drawn with a narrow bar.
    var isBeforeStart: Bool { self == .turn || self == .queued }
}

/// Builds pieces of SVG.
enum XMLText {
    /// Returns the text with XML's special characters escaped, and with U+FFFD for control characters and those XML
    /// does not allow (XML 1.0, section 2.2).
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case let scalar where TextStyle.isControl(scalar) || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                result.unicodeScalars.append("\u{FFFD}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static func text(_ text: String, x: Double, y: Double, style: String) -> String {
        "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>"
    }

    static func bar(x: Double, y: Double, width: Double, height: Double, style: String) -> String {
        "<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" "
            + "width=\"\(number(width))\" height=\"\(number(height))\"/>"
    }

    /// Returns a number with at most two decimal places.
    static func number(_ value: Double) -> String {
        let most = 1e12
        guard abs(value) < most else { return "0" }
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
