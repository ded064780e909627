/// The path of a route, in which `:name` matches one segment, and a final `*` matches the rest.
struct RoutePath: Sendable {
    private enum Segment: Sendable {
        case text(String)
        case variable(String)
    }

    /// The path as it was given.
    let text: String
    /// The host, if the path was given as an absolute URL.
    let host: String?
    private let segments: [Segment]
    /// Whether the path ends with `*`.
    private let hasRest: Bool

    init(_ text: String) {
        self.text = text
        let rest = ["https://", "http://"].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) }
        let path = rest?.drop { $0 != "/" && $0 != "?" } ?? text[...]
        let authority = rest?[..<path.startIndex]
        host = authority.map { URL(string: "http://\($0)")?.host(percentEncoded: false) ?? String($0) }
        var parts = path.prefix { $0 != "?" }.split(separator: "/")
        hasRest = parts.last == "*"
        if hasRest { parts.removeLast() }
        segments = parts.map { part in
            part.hasPrefix(":") ? .variable(String(part.dropFirst())) : .text(RequestTarget.decoded(part))
        }
    }

    /// Returns the variable parts of a path, with the rest as `*`; nil if the path does not match.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count || (hasRest && path.count > segments.count) else { return nil }
        var parameters: [String: String] = [:]
        for (segment, actual) in zip(segments, path) {
            switch segment {
            case .text(let text): guard text == actual else { return nil }
            case .variable(let name): parameters[name] = actual
            }
        }
        if hasRest { parameters["*"] = path.dropFirst(segments.count).joined(separator: "/") }
        return parameters
    }
}
