/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// Reads the preferred format, `Sun, 06 Nov 1994 08:49:37 GMT`; any other gives `nil`.
    static func parse(_ string: String) -> Date? {
        let words = string.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int(words[3]) else { return nil }
        guard let month = months.firstIndex(of: String(words[2])) else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int($0) }
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
}
