/// The lenient dates of cookies (RFC 6265, section 5.1.1): tokens in whatever order.
enum CookieDate {
    static func parse(_ string: String) -> Date? {
        var clock: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in string.split(whereSeparator: isDelimiter) {
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

    private static func isDelimiter(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        return byte == 0x09 || (0x20...0x2F).contains(byte) || (0x3B...0x40).contains(byte)
            || (0x5B...0x60).contains(byte) || (0x7B...0x7E).contains(byte)
    }

    private static func time(_ token: Substring) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 3 else { return nil }
        guard let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// The digits a token begins with; what follows them counts no more, unless it is a digit too many.
    private static func number(_ token: Substring, digits: ClosedRange<Int>) -> Int? {
        let leading = token.prefix { $0.isASCII && $0.isNumber }
        return digits.contains(leading.count) ? Int(leading) : nil
    }

    private static func monthNumber(_ token: Substring) -> Int? {
        let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return names.firstIndex(of: token.prefix(3).lowercased()).map { $0 + 1 }
    }
}
