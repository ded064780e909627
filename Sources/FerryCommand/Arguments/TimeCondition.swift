import Ferry

/// The value of `-z`: a date, or a file whose last change is the date.
///
/// A hyphen in front of it stands for the opposite condition; a plus sign, as in curl, for the condition itself.
struct TimeCondition: Equatable, Sendable {
    static let names = ["If-Modified-Since", "If-Unmodified-Since"]

    let name: String
    /// The date; `nil`, for no condition as in curl, if the value is neither a date nor a file.
    let date: Date?
    /// The value without the hyphen or plus sign.
    let text: String
}

extension TimeCondition {
    init(parsing value: String) {
        let isOpposite = value.hasPrefix("-")
        name = Self.names[isOpposite ? 1 : 0]
        text = isOpposite || value.hasPrefix("+") ? String(value.dropFirst()) : value
        date = Self.date(text) ?? Self.lastChange(of: text)
    }

    /// Reads one of HTTP's formats, also with `+0000`, or an ISO 8601 date in UTC, with or without a time.
    private static func date(_ text: String) -> Date? {
        // No date is longer, and the limit bounds the work.
        guard text.utf8.count <= 40 else { return nil }
        let http = text.hasSuffix(" +0000") ? text.dropLast(5) + "GMT" : text
        if let date = HTTPDate.parse(http) { return date }
        let pattern = /([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2}):([0-9]{2})Z?)?/
        guard let parts = text.wholeMatch(of: pattern)?.output, let year = Int(parts.1), let month = Int(parts.2),
            let day = Int(parts.3), year > 1600
        else { return nil }
        let clock = [parts.4, parts.5, parts.6].map { $0.flatMap { Int($0) } ?? 0 }
        guard clock[0] < 24, clock[1] < 60, clock[2] <= 60 else { return nil }
        return HTTPDate.date(year: year, month: month, day: day, clock: clock)
    }

    private static func lastChange(of path: String) -> Date? {
        var info = stat()
        guard !path.utf8.contains(0), stat(path, &info) == 0 else { return nil }
        // HTTP can express the years from 1601 to 9999; some file systems have others too.
        let (first, last) = (-11_644_473_600, 253_402_300_799)
        return Date(timeIntervalSince1970: Double(min(max(info.st_mtim.tv_sec, first), last)))
    }
}
