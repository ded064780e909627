import Foundation

/// Dates in the form of RFC 9110 section 5.6.7, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func string(from date: Date) -> String {
        string(from: time_t(date.timeIntervalSince1970.rounded(.down)))
    }

    static func string(from time: time_t) -> String {
        var time = time
        var parts = tm()
        gmtime_r(&time, &parts)
        let day = days[min(max(Int(parts.tm_wday), 0), 6)]
        let month = months[min(max(Int(parts.tm_mon), 0), 11)]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        return "\(day), \(twoDigits(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1900) \(clock) GMT"
    }

    /// Returns the date of a field value in the preferred format; nil for any other text.
    static func date(from text: String) -> Date? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", let day = Int32(words[1]), let year = Int32(words[3]),
            let month = months.firstIndex(of: String(words[2])), (0...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int32($0) }
        guard clock.count == 3 else { return nil }
        var parts = tm()
        parts.tm_year = year - 1900
        parts.tm_mon = Int32(month)
        parts.tm_mday = day
        parts.tm_hour = clock[0]
        parts.tm_min = clock[1]
        parts.tm_sec = clock[2]
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }

    private static let cached = Locked<(time: time_t, text: String)>((0, ""))

    /// The current date; the text is formatted once a second.
    static var now: String {
        let time = Glibc.time(nil)
        if let text = cached.withLock({ $0.time == time ? $0.text : nil }) { return text }
        let text = string(from: time)
        cached.withLock { $0 = (time, text) }
        return text
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
