/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// Reads the preferred format, `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete ones that recipients must
    /// understand, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`; anything else gives `nil`.
    ///
    /// Names are compared without case, as caches are used to. The year of the second form is at most 50 years ahead of
    /// `now`.
    static func parse(_ string: String, now: Date = Date()) -> Date? {
        let words = string.split(separator: " ")
        switch words.count {
        case 6: return fixed(words)
        case 5: return ansi(words)
        case 4: return rfc850(words, now: now)
        default: return nil
        }
    }

    /// Writes a date in the preferred format.
    static func string(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let day = time < 0 ? days - 1 : days
        let clock = time < 0 ? time + 86_400 : time
        let (year, month, dayOfMonth) = civil(daysSinceEpoch: day)
        let weekday = weekdays[((day % 7) + 11) % 7]
        return "\(weekday), \(two(dayOfMonth)) \(months[month - 1]) \(year)"
            + " \(two(clock / 3600)):\(two(clock / 60 % 60)):\(two(clock % 60)) GMT"
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func fixed(_ words: [Substring]) -> Date? {
        guard words[5].lowercased() == "gmt", let day = Int(words[1]), let year = Int(words[3]) else { return nil }
        return date(day: day, month: words[2], year: year, clock: words[4])
    }

    /// Reads `Sun Nov  6 08:49:37 1994`.
    private static func ansi(_ words: [Substring]) -> Date? {
        guard words[4].utf8.count == 4, let day = Int(words[2]), let year = Int(words[4]) else { return nil }
        return date(day: day, month: words[1], year: year, clock: words[3])
    }

    /// Reads `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func rfc850(_ words: [Substring], now: Date) -> Date? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words[3].lowercased() == "gmt", parts.count == 3, parts[2].utf8.count == 2 else { return nil }
        guard let day = Int(parts[0]), let short = Int(parts[2]), short >= 0 else { return nil }
        let current = civil(daysSinceEpoch: Int((now.timeIntervalSince1970 / 86_400).rounded(.down))).year
        var year = current - current % 100 + short
        if year > current + 50 { year -= 100 }
        return date(day: day, month: parts[1], year: year, clock: words[2])
    }

    private static func date(day: Int, month name: Substring, year: Int, clock string: Substring) -> Date? {
        guard let month = months.firstIndex(where: { $0.lowercased() == name.lowercased() }) else { return nil }
        let clock = string.split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        guard (1...31).contains(day), (1600...9999).contains(year) else { return nil }
        return date(year: year, month: month + 1, day: day, clock: clock)
    }

    /// A date of the proleptic Gregorian calendar, in UTC; the clock is hours, minutes and seconds.
    static func date(year: Int, month: Int, day: Int, clock: [Int]) -> Date {
        let seconds = clock.reduce(0) { $0 * 60 + $1 }
        return Date(
            timeIntervalSince1970: Double(daysSinceEpoch(year: year, month: month, day: day) * 86_400 + seconds)
        )
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar, with years that begin in March.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The way back from ``daysSinceEpoch(year:month:day:)``.
    private static func civil(daysSinceEpoch days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
