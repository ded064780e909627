/// The lenient dates of cookies (RFC 6265, section 5.1.1): tokens in any order.
enum CookieDate {
    static func parse(_ string: String) -> Date? {
        var clock: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in string[...].utf8.split(whereSeparator: isDelimiter) {
            if clock == nil, let found = time(token) {
                clock = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let clock, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard (1...31).contains(day), year >= 1601, clock.hour < 24, clock.minute < 60, clock.second < 60 else {
            return nil
        }
        return HTTPDate.date(year: year, month: month, day: day, clock: [clock.hour, clock.minute, clock.second])
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == 0x09 || (0x20...0x2F).contains(byte) || (0x3B...0x40).contains(byte) || (0x5B...0x60).contains(byte)
            || (0x7B...0x7E).contains(byte)
    }

    private static func time(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.parts(between: ":")
        guard fields.count == 3 else { return nil }
        guard let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Returns the number that a token begins with, or `nil` if its count of digits is out of range; the rest is
    /// ignored.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let leading = token.prefix { (0x30...0x39).contains($0) }
        return digits.contains(leading.count) ? Int(leading.string) : nil
    }

    private static func monthNumber(_ token: Substring.UTF8View) -> Int? {
        let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        let start = token.prefix(3).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return names.firstIndex { $0.utf8.elementsEqual(start) }.map { $0 + 1 }
    }
}
