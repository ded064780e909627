/// The attributes of a `Set-Cookie` field; the last of several with one name counts (RFC 6265bis, section 5.6).
package struct CookieAttributes {
    package var domain: String?
    package var path: String?
    /// The time when the cookie expires; at most 400 days from now.
    package var expires: Date?
    package var isSecure = false
    package var isHTTPOnly = false

    package init(_ parts: ArraySlice<Substring.UTF8View>, now: Date) {
        var maximumAge: Date?
        var date: Date?
        for part in parts {
            let sides = part.cut(at: "=")
            let name = (sides?.before ?? part).trimmed
            let value = sides?.after.trimmed ?? part[part.endIndex...]
            // No relevant attribute has a longer name.
            guard name.count <= 8, value.count <= CookieRule.maximumAttributeSize else { continue }
            switch name.string.lowercased() {
            case "domain":
                let dot = UInt8(ascii: ".")
                let name = (value.first == dot ? value.dropFirst() : value).string.lowercased()
                domain = name.isEmpty ? nil : name
            case "path": path = value.first == UInt8(ascii: "/") ? value.string : nil
            case "max-age": maximumAge = Self.date(maximumAge: value, now: now) ?? maximumAge
            case "expires": date = CookieDate.parse(value.string) ?? date
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            // SameSite is about sites and navigation, which do not apply to an HTTP library.
            default: break
            }
        }
        let latest = now.addingTimeInterval(CookieRule.maximumAge)
        expires = (maximumAge ?? date).map { min($0, latest) }
    }

    /// Reads `Max-Age`, which takes precedence over `Expires`; zero and below mean the past (section 5.6.2).
    private static func date(maximumAge value: Substring.UTF8View, now: Date) -> Date? {
        let minus = UInt8(ascii: "-")
        guard let first = value.first, first == minus || first.isDigit, value.dropFirst().allSatisfy(\.isDigit) else {
            return nil
        }
        guard first != minus, let seconds = Double(value.string), seconds > 0 else { return .distantPast }
        return now.addingTimeInterval(min(seconds, CookieRule.maximumAge))
    }
}

/// The lenient dates of cookies (RFC 6265, section 5.1.1): tokens in any order.
package enum CookieDate {
    package static func parse(_ string: String) -> Date? {
        var clock: [Int]?
        var (day, month, year): (Int?, Int?, Int?)
        for token in string[...].utf8.split(whereSeparator: isDelimiter) {
            if clock == nil, let found = time(token) {
                clock = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = HTTPDate.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let clock, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, clock[0] < 24, clock[1] < 60, clock[2] < 60 else { return nil }
        return HTTPDate.date(year: year, month: month, day: day, clock: clock)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == 0x09 || (0x20...0x2F).contains(byte) || (0x3B...0x40).contains(byte) || (0x5B...0x60).contains(byte)
            || (0x7B...0x7E).contains(byte)
    }

    /// Reads hours, minutes and seconds, whatever follows them.
    private static func time(_ token: Substring.UTF8View) -> [Int]? {
        let fields = token.parts(between: ":").prefix(3)
        guard fields.count == 3, fields.dropLast().allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return nil }
        let numbers = fields.compactMap { number($0, digits: 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    /// Returns the number that a token begins with, whatever follows; `nil` if its count of digits is out of range.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let leading = token.prefix(while: \.isDigit)
        return digits.contains(leading.count) ? Int(leading.string) : nil
    }
}
