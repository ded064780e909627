/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// Reads the preferred format, `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete ones that recipients must
    /// understand, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`; anything else gives `nil`.
    ///
    /// Names are compared without case, as caches are used to. The year of the second form is at most 50 years ahead of
    /// `now`.
    static func parse(_ string: String, now: Date = Date()) -> Date? {
        // No date is longer, and text of a server's that is may be slow to compare.
        guard string.utf8.count <= 64 else { return nil }
        let words = string.split(separator: " ")
        switch words.count {
        case 6: return fixed(words)
        case 5: return ansi(words)
        case 4: return rfc850(words, now: now)
        default: return nil
        }
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
        let latest = year(ofDay: Int((now.timeIntervalSince1970 / 86_400).rounded(.down))) + 50
        let past = (latest - short) % 100
        return date(day: day, month: parts[1], year: latest - past, clock: words[2])
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

    /// Days from 1970-01-01 in the proleptic Gregorian calendar, with years that begin in March.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The year of a day, counted from 1970-01-01, in the proleptic Gregorian calendar.
    private static func year(ofDay days: Int) -> Int {
        let guess = 1970 + Int((Double(days) / 365.2425).rounded(.down))
        // The guess is one off at most.
        if daysSinceEpoch(year: guess + 1, month: 1, day: 1) <= days { return guess + 1 }
        return daysSinceEpoch(year: guess, month: 1, day: 1) <= days ? guess : guess - 1
    }
}
