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
