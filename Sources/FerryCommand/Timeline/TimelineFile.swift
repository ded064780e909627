import Ferry

/// The file of `--timeline`; its extension selects SVG or HTML.
struct TimelineFile: Equatable, Sendable {
    let path: String
    private let isPage: Bool

    init(path: String) throws(UsageError) {
        let name = path.lowercased()
        guard name.hasSuffix(".svg") || name.hasSuffix(".html") else {
            throw UsageError("--timeline takes FILE.svg or FILE.html, not '\(path)'")
        }
        self.path = path
        isPage = name.hasSuffix(".html")
    }

    /// Checks that the file can be written, before anything is transferred.
    func check() throws(CommandFailure) {
        if access(path, F_OK) == 0 {
            guard access(path, W_OK) == 0 else { throw .file(path, "cannot be written", errno: errno) }
        } else {
            let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            let place = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
            guard access(place, W_OK) == 0 else { throw .file(path, "cannot be written", errno: errno) }
        }
    }

    /// Writes the timeline, replacing the file atomically.
    func write(_ requests: [RequestTiming], startedAt: Date) throws(CommandFailure) {
        let format = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
        let time = startedAt.formatted(format).replacing("Z", with: " UTC")
        let timeline = Timeline(requests, startedAt: time)
        let data = Data((isPage ? timeline.page : timeline.svg).utf8)
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure(.file, "\(path): cannot be written: \(error.localizedDescription)")
        }
    }
}
