import Ferry

/// Indents a JSON text for people, and leaves its members in their order and its numbers as they were written.
struct JSONIndenter {
    /// A longer text is not held back, and goes on as it comes.
    static let longest = 4 << 20

    private let style: TextStyle
    private var held = Data()
    private var isLetThrough = false

    init(style: TextStyle = TextStyle()) {
        self.style = style
    }

    /// Takes a piece of the text, and gives what can be shown already.
    mutating func take(_ data: Data) -> Data {
        guard !isLetThrough else { return data }
        held.append(data)
        guard held.count > Self.longest else { return Data() }
        isLetThrough = true
        defer { held = Data() }
        return held
    }

    /// Gives the rest: the whole text indented, or as it is where it is no JSON.
    mutating func finish() -> Data {
        defer { held = Data() }
        guard !isLetThrough, !held.isEmpty else { return held }
        guard (try? JSONValue(json: held, options: .fragmentsAllowed)) != nil else { return held }
        return Self.indented(held, style)
    }
}

extension HTTPURLResponse {
    /// Whether the body says that it is JSON (RFC 8259, RFC 6839).
    var isJSON: Bool {
        guard let type = mimeType?.lowercased() else { return false }
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
