/// The times of certificates: UTCTime and GeneralizedTime, only in the forms of RFC 5280, section 4.1.2.5.
enum X509Time {
    /// Returns the time in an element, or `nil` if it is not valid.
    static func date(_ element: DERReader.Element) -> Date? {
        switch element.tag {
        case DERReader.Tag.utcTime: date(element.content, yearDigits: 2)
        case DERReader.Tag.generalizedTime: date(element.content, yearDigits: 4)
        default: nil
        }
    }

    private static func date(_ bytes: ArraySlice<UInt8>, yearDigits: Int) -> Date? {
        let zulu: UInt8 = 0x5A
        guard bytes.count == yearDigits + 11, bytes.last == zulu else { return nil }
        let digits = bytes.dropLast()
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var rest = digits
        func take(_ count: Int) -> Int {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        var year = take(yearDigits)
        if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
        let (month, day, hour, minute, second) = (take(2), take(2), take(2), take(2), take(2))
        guard (1...12).contains(month), (1...days(inMonth: month, year: year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3_600 + minute * 60 + second))
    }

    private static func days(inMonth month: Int, year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 2: return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Returns the days of the Gregorian calendar since 1970, counted in years that begin in March so that leap days
    /// come last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = year - (month <= 2 ? 1 : 0) + 400
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (era - 1) * 146_097 + dayOfEra - 719_468
    }
}
