import Foundation

/// Parses request targets (RFC 9112 section 3.2).
enum RequestTarget {
    /// Returns the decoded path of a target in origin form or absolute form.
    static func path(of target: String) -> String {
        var rest = target[...]
        if let scheme = rest.range(of: "://"), !rest.hasPrefix("/") {
            rest = rest[scheme.upperBound...]
            rest = rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
            if rest.hasPrefix("?") { return "/" }
        }
        return decoded(rest.prefix { $0 != "?" })
    }

    /// Returns the decoded items of a target's query.
    static func queryItems(of target: String) -> [URLQueryItem] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        return target[target.index(after: mark)...].split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return URLQueryItem(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : nil)
        }
    }

    /// Returns the text percent-decoded, or unchanged if its encoding is invalid.
    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return text.removingPercentEncoding ?? String(text)
    }
}
