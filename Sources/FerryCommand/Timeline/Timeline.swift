/// The requests of a run drawn as a waterfall, as a pure function of their times.
struct Timeline {
    /// A request and the position of its row.
    struct Row {
        let request: RequestTiming
        /// Whether the request follows from the one before it, such as after a redirect.
        let isFollowing: Bool
        let top: Double
        let height: Double
        /// The reason of a failure, shown below the request.
        let note: String?
        let isStriped: Bool
    }

    let rows: [Row]
    let axis: TimelineAxis
    let height: Double
    let requests: [RequestTiming]
    let startedAt: String

    /// Lays out requests that are sorted by URL and time.
    init(_ requests: [RequestTiming], startedAt: String) {
        // Times count from the first request, not from the start of the process.
        let origin = requests.map(\.wanted).min() ?? 0
        let requests = requests.map { request in
            var request = request
            request.wanted -= origin
            request.start -= origin
            return request
        }
        self.requests = requests
        self.startedAt = startedAt
        axis = TimelineAxis(end: requests.map { $0.start + $0.end }.max() ?? 0)
        var rows: [Row] = []
        var top = TimelineLayout.firstRow
        var isStriped = true
        for request in requests {
            let isFollowing = rows.last?.request.transfer == request.transfer
            if !isFollowing { isStriped.toggle() }
            // An HTTP error needs no note: its status is shown.
            let note = (request.status ?? 0) >= 400 ? nil : request.failure
            let height = TimelineLayout.rowHeight + (note == nil ? 0 : TimelineLayout.noteHeight)
            rows.append(
                Row(
                    request: request,
                    isFollowing: isFollowing,
                    top: top,
                    height: height,
                    note: note,
                    isStriped: isStriped
                )
            )
            top += height
        }
        self.rows = rows
        height = top + TimelineLayout.margin
    }

    /// The picture as an SVG file.
    var svg: String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + picture
    }

    /// The picture in an HTML page.
    var page: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark">
        <title>\(XMLText.escaped(title))</title>
        <style>
        body { margin: 0; background: #ffffff; }
        svg { display: block; margin: 0 auto; }
        @media (prefers-color-scheme: dark) { body { background: #14181d; } }
        </style>
        </head>
        <body>
        \(picture)</body>
        </html>

        """
    }

    private var picture: String {
        let width = XMLText.number(TimelineLayout.width)
        let height = XMLText.number(height)
        let name = XMLText.escaped(title)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" class="ferry" role="img" aria-label="\(name)" \
            width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
            <title>\(name)</title>
            <style>
            \(TimelineStyle.text)</style>
            \(TimelineLayout.clips(height: self.height))
            <rect class="f-page" width="\(width)" height="\(height)"/>
            \((heading + rows.flatMap(stripes) + grid + rows.flatMap(lines)).joined(separator: "\n"))
            </svg>

            """
    }
}
