import Ferry

/// Picks what proves later that the rest of a response still belongs to its beginning.
enum Validator {
    /// The validator for `If-Range`, or `nil` where the response cannot be continued.
    ///
    /// That is a strong entity tag, or a date of change that is older than the response (RFC 9110, sections 8.8.2.2
    /// and 13.1.5).
    static func find(status: Int, field: (String) -> String?) -> String? {
        guard status == 200 else { return nil }
        if let coding = field("Content-Encoding"), coding.lowercased() != "identity" { return nil }
        if field("Accept-Ranges")?.lowercased() == "none" { return nil }
        if let tag = field("ETag") { return isStrong(tag) ? tag : nil }
        guard
            let modified = field("Last-Modified"), let changed = date(modified),
            let sent = field("Date").flatMap(date)
        else { return nil }
        return sent.timeIntervalSince(changed) >= 1 ? modified : nil
    }

    static func isStrong(_ tag: String) -> Bool {
        tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
    }

    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}
