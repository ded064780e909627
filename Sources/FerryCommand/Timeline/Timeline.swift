import Ferry

/// The requests of a run drawn as a waterfall, as a pure function of their times.
struct Timeline {
    struct Row {
        let request: RequestTiming
        /// Whether the request follows from the one before, such as after a redirect.
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
        // Times count from the first transfer, not from the start of the process.
        let origin = requests.map(\.firstMoment).min() ?? 0
        let requests = requests.map { $0.counted(from: origin) }
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

    var svg: String {
        let width = XMLText.number(TimelineLayout.width)
        let height = XMLText.number(height)
        let name = XMLText.escaped(title)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" class="ferry" role="img" aria-label="\(name)" \
            width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
            <title>\(name)</title>
            <style>
            \(TimelineStyle.text)</style>
            \(TimelineLayout.clips(height: self.height))
            <rect class="f-page" width="\(width)" height="\(height)"/>
            \((heading + axisLabels + rows.flatMap(stripes) + gridLines + rows.flatMap(lines)).joined(separator: "\n"))
            </svg>

            """
    }
}

/// The time axis of a timeline, in seconds, with its ticks.
struct TimelineAxis: Equatable {
    struct Tick: Equatable {
        var label: String
        /// From 0 at the left to 1 at the right.
        var fraction: Double
    }

    /// The end of the last request, in seconds.
    let end: Double
    let ticks: [Tick]

    init(end: Double) {
        let shortest = 0.000_1
        let longest = 1e9
        self.end = end.isFinite ? min(max(end, shortest), longest) : shortest
        let step = Self.step(for: self.end)
        let count = Int((self.end / step + 1e-9).rounded(.down))
        let span = self.end
        ticks = (0...count).map {
            Tick(label: Self.label(Double($0) * step, step: step), fraction: Double($0) * step / span)
        }
    }

    func fraction(of seconds: Double) -> Double { min(max(seconds / end, 0), 1) }

    /// Returns a step of 1, 2 or 5 times a power of ten, of which two to seven fit into the axis.
    static func step(for end: Double) -> Double {
        var power = 1e-5
        while true {
            for factor in [1.0, 2, 5] where end / (factor * power) <= 7 { return factor * power }
            power *= 10
        }
    }

    private static func label(_ seconds: Double, step: Double) -> String {
        guard seconds > 0 else { return "0" }
        let isInSeconds = step >= 0.1
        let value = isInSeconds ? seconds : seconds * 1000
        return XMLText.number(value) + (isInSeconds ? " s" : " ms")
    }
}

/// The file of `--timeline`; its extension selects SVG or HTML.
struct TimelineFile: Equatable, Sendable {
    let path: String
    private let isPage: Bool

    init(path: String) throws(UsageError) {
        let name = path.lowercased()
        guard name.hasSuffix(".svg") || name.hasSuffix(".html") else {
            throw UsageError("--timeline takes FILE.svg or FILE.html, not \(UsageError.quoted(path))")
        }
        self.path = path
        isPage = name.hasSuffix(".html")
    }

    /// Checks that the file can be written, before anything is transferred.
    func check() throws(CommandFailure) {
        // A deleted folder still counts as writable.
        _ = try URL(file: path)
        if access(path, F_OK) == 0 {
            guard access(path, W_OK) == 0 else { throw .file(path, "cannot be written", errno: errno) }
        } else {
            let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            let place = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
            guard access(place, W_OK) == 0 else { throw .file(path, "cannot be written", errno: errno) }
        }
    }

    /// Writes the timeline, replacing the file atomically; a link is followed, and a device or pipe is written to.
    func write(_ requests: [RequestTiming], startedAt: Date) throws(CommandFailure) {
        let format = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
        let time = startedAt.formatted(format).replacing("Z", with: " UTC")
        let timeline = Timeline(requests, startedAt: time)
        let data = Data((isPage ? timeline.page : timeline.svg).utf8)
        if path.isSpecialFile { return try OutputDescriptor(path: path, flags: O_NOCTTY).writeAll(data) }
        let file = try URL(file: path.followingLinks)
        do {
            try data.write(to: file, options: .atomic)
        } catch {
            throw CommandFailure(.file, "\(path): cannot be written: \(error.localizedDescription)")
        }
    }
}
