/// Dates in the formats of HTTP (RFC 9110, section 5.6.7).
package enum HTTPDate {
    /// Reads a date in one of HTTP's three formats, or returns `nil` for anything else.
    ///
    /// These are the preferred format, `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete ones that recipients must
    /// understand, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// The grammar is followed exactly, since an `Expires` that is not a date means a stale response (RFC 9111, section
    /// 5.3). Only the case of names is ignored, which caches may do (RFC 9111, section 4.2). The date must exist. Its
    /// day of the week is checked only in the second format, whose year is at most 50 years ahead of `now`.
    package static func parse(_ string: String, now: Date = .current) -> Date? {
        // No date is longer.
        guard string.utf8.count <= longest else { return nil }
        var string = string
        return string.withUTF8 { bytes in
            let text = bytes[...]
            // Only the preferred format has this length. It is read without words, since the cache reads many dates.
            if text.count == preferredLength { return fixed(text) }
            let words = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard let first = words.first else { return nil }
            return first.last == UInt8(ascii: ",") ? rfc850(words, now: now) : ansi(words)
        }
    }

    /// Returns a date of the Gregorian calendar in UTC, or `nil` if the day does not exist; `clock` is hours, minutes
    /// and seconds.
    package static func date(year: Int, month: Int, day: Int, clock: [Int]) -> Date? {
        guard (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year: year) else { return nil }
        let seconds = clock.reduce(0) { $0 * 60 + $1 }
        return Date(
            timeIntervalSince1970: Double(daysSinceEpoch(year: year, month: month, day: day) * 86_400 + seconds)
        )
    }

    /// Returns a date in the preferred format; fractions of a second are dropped.
    package static func string(from date: Date) -> String {
        var time = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&time, &parts)
        let day = days[min(max(Int(parts.tm_wday), 0), 6)].prefix(3).capitalized
        let month = months[min(max(Int(parts.tm_mon), 0), 11)].capitalized
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        return "\(day), \(twoDigits(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1900) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

    // MARK: - The three formats

    private typealias Word = Slice<UnsafeBufferPointer<UInt8>>

    private static let preferredLength = "Sun, 06 Nov 1994 08:49:37 GMT".utf8.count
    private static let longest = "Wednesday, 06-Nov-94 08:49:37 GMT".utf8.count
    private static let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let dayKeys = days.map { key($0.utf8) }
    private static let monthKeys = months.map { key($0.utf8) }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func fixed(_ text: Word) -> Date? {
        guard text[3] == UInt8(ascii: ","), [4, 7, 11, 16, 25].allSatisfy({ text[$0] == UInt8(ascii: " ") }),
            index(of: text[0..<3], among: dayKeys) != nil, isGMT(text[26..<29]),
            let day = number(text[5..<7], digits: 2), let year = number(text[12..<16], digits: 4)
        else { return nil }
        return date(day: day, month: text[8..<11], year: year, clock: text[17..<25])
    }

    /// Reads `Sun Nov  6 08:49:37 1994`, whose day takes two columns.
    private static func ansi(_ words: [Word]) -> Date? {
        let isShort = words.count == 6 && words[2].isEmpty
        guard isShort || words.count == 5, index(of: words[0], among: dayKeys) != nil,
            let day = isShort ? number(words[3], digits: 1) : number(words[2], digits: 2),
            let year = number(words[words.count - 1], digits: 4)
        else { return nil }
        return date(day: day, month: words[1], year: year, clock: words[words.count - 2])
    }

    /// Reads `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func rfc850(_ words: [Word], now: Date) -> Date? {
        guard words.count == 4, let weekday = weekday(words[0].dropLast()), isGMT(words[3]) else {
            return nil
        }
        let parts = words[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, let day = number(parts[0], digits: 2), let short = number(parts[2], digits: 2) else {
            return nil
        }
        let latest = year(ofDay: Int((now.timeIntervalSince1970 / 86_400).rounded(.down))) + 50
        let past = (latest - short) % 100
        guard let date = date(day: day, month: parts[1], year: latest - past, clock: words[2]) else { return nil }
        // 1970-01-01 was a Thursday. If the day of the week does not match, another century was meant.
        let days = Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
        return ((days + 4) % 7 + 7) % 7 == weekday ? date : nil
    }

    private static func date(day: Int, month: Word, year: Int, clock: Word) -> Date? {
        let (start, colon) = (clock.startIndex, UInt8(ascii: ":"))
        guard clock.count == 8, clock[start + 2] == colon, clock[start + 5] == colon,
            let hours = number(clock[start..<start + 2], digits: 2), hours < 24,
            let minutes = number(clock[start + 3..<start + 5], digits: 2), minutes < 60,
            // 60 is a leap second.
            let seconds = number(clock[start + 6..<start + 8], digits: 2), seconds <= 60,
            year >= 1600, let month = index(of: month, among: monthKeys)
        else { return nil }
        return date(year: year, month: month + 1, day: day, clock: [hours, minutes, seconds])
    }

    // MARK: - Words

    /// Returns the number of the month that the first three letters of a word name, from 1; `nil` if there is none.
    static func month(_ word: some Sequence<UInt8>) -> Int? { monthKeys.firstIndex(of: key(word)).map { $0 + 1 } }

    private static func number(_ word: Word, digits: Int) -> Int? {
        guard word.count == digits, word.allSatisfy(\.isDigit) else { return nil }
        return word.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// Returns the index of a word of three letters among keys.
    private static func index(of word: Word, among keys: [UInt32]) -> Int? {
        word.count == 3 ? keys.firstIndex(of: key(word)) : nil
    }

    /// Returns the first three letters of a word, in lowercase, as a number.
    private static func key(_ word: some Sequence<UInt8>) -> UInt32 {
        word.prefix(3).reduce(0) { $0 << 8 | UInt32($1.lowercased) }
    }

    /// Returns the index of a day of the week with its full name.
    private static func weekday(_ word: Word) -> Int? {
        days.firstIndex { word.elementsEqual($0.utf8) { $0.lowercased == $1 } }
    }

    private static func isGMT(_ word: Word) -> Bool { word.elementsEqual("gmt".utf8) { $0.lowercased == $1 } }

    // MARK: - The calendar

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in March.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the year of a day, counted from 1970-01-01, in the proleptic Gregorian calendar.
    private static func year(ofDay days: Int) -> Int {
        let guess = 1970 + Int((Double(days) / 365.2425).rounded(.down))
        // The guess is off by one at most.
        if daysSinceEpoch(year: guess + 1, month: 1, day: 1) <= days { return guess + 1 }
        return daysSinceEpoch(year: guess, month: 1, day: 1) <= days ? guess : guess - 1
    }
}
