import Ferry

/// Indents a JSON text for people; the order of members and the notation of numbers are kept.
struct JSONIndenter {
    /// The largest size in bytes of a text that is indented; a longer one is passed on unchanged as it arrives.
    static let longest = 4 << 20

    private let style: TextStyle
    private var held = Data()
    private var isLetThrough = false

    init(style: TextStyle = TextStyle()) {
        self.style = style
    }

    /// Adds a piece of the text and returns what can be shown already.
    mutating func take(_ data: Data) -> Data {
        guard !isLetThrough else { return data }
        held.append(data)
        guard held.count > Self.longest else { return Data() }
        isLetThrough = true
        defer { held = Data() }
        return held
    }

    /// Returns the rest: the whole text indented, or unchanged if it is not valid JSON.
    mutating func finish() -> Data {
        defer { held = Data() }
        guard !isLetThrough, !held.isEmpty else { return held }
        guard (try? JSONValue(json: held, options: .fragmentsAllowed)) != nil else { return held }
        return Self.indented(held, style)
    }
}

extension HTTPURLResponse {
    /// Whether the content type is JSON (RFC 8259, RFC 6839).
    var isJSON: Bool {
        guard let type = mimeType?.lowercased() else { return false }
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
