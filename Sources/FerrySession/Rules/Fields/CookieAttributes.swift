/// The attributes of a `Set-Cookie` field.
///
/// The last one counts if several have the same name (RFC 6265bis, section 5.6).
struct CookieAttributes {
    var domain: String?
    var path: String?
    /// When the cookie expires; at most 400 days from now.
    var expires: Date?
    var isSecure = false
    var isHTTPOnly = false

    init(_ parts: ArraySlice<Substring.UTF8View>, now: Date) {
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
        let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) }
        guard let first = value.first, first == UInt8(ascii: "-") || isDigit(first) else { return nil }
        guard value.dropFirst().allSatisfy(isDigit) else { return nil }
        guard first != UInt8(ascii: "-"), let seconds = Double(value.string), seconds > 0 else { return .distantPast }
        return now.addingTimeInterval(min(seconds, CookieRule.maximumAge))
    }
}
