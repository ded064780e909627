import FerryCache

/// Helpers for the tables of the cache rules.
package enum CacheRows {
    package static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// Returns the date at an offset in seconds from now, as a field value.
    package static func date(_ offset: Double) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: now.addingTimeInterval(offset))
    }

    package static func fields(_ fields: [(String, String)]) -> CacheFields { CacheFields(list(fields)) }

    package static func list(_ fields: [(String, String)]) -> [ResponseHead.Field] {
        fields.map { ResponseHead.Field(name: $0.0, value: $0.1) }
    }

    package static func head(_ status: Int = 200, _ fields: [(String, String)] = []) -> ResponseHead {
        ResponseHead(version: "HTTP/1.1", status: status, fields: list(fields))
    }
}
