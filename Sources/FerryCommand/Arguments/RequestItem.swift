import Ferry

/// A part of the request that is written after the URL, as in HTTPie: a name, a separator and a value.
struct RequestItem: Equatable, Sendable {
    /// The kinds with their separators; if several begin at the same place, the first one in this list is used.
    enum Kind: String, CaseIterable, Sendable {
        /// The contents of a file as a JSON value.
        case jsonFile = ":=@"
        case json = ":="
        /// A parameter of the query.
        case query = "=="
        /// The contents of a file as a string.
        case textFile = "=@"
        /// A header field; without a value, the field is left out.
        case field = ":"
        case text = "="
        /// A file as a part of a form.
        case file = "@"
    }

    let kind: Kind
    let name: String
    /// The text, or the path of a file.
    let value: String

    init(_ kind: Kind, _ name: String, _ value: String) { (self.kind, self.name, self.value) = (kind, name, value) }

    /// Whether the item is a part of the body.
    var isData: Bool { kind != .field && kind != .query }
    var hasPath: Bool { [.jsonFile, .textFile, .file].contains(kind) }
}

extension RequestItem {
    /// Splits a text at its first separator, or returns `nil` if it has none.
    private static func split(_ text: String) -> RequestItem? {
        guard let start = text.firstIndex(where: { $0 == ":" || $0 == "=" || $0 == "@" }),
            let kind = Kind.allCases.first(where: { text[start...].hasPrefix($0.rawValue) })
        else { return nil }
        return RequestItem(kind, String(text[..<start]), String(text[start...].dropFirst(kind.rawValue.count)))
    }

    /// Parses an item; `nil` if the text is a URL.
    ///
    /// A text is a URL if it has no separator, or if what precedes its first separator
    /// - is empty, as in `:8080/path`, or has a slash, a question mark or a number sign, or begins with a bracket:
    ///   `example.com/?a=b`;
    /// - is the scheme of a URL: `http://example.com`;
    /// - is `localhost` or has a dot, and a port follows: `example.com:8443/path`.
    init?(parsing text: String) {
        guard let item = Self.split(text), !item.name.isEmpty, item.name.first != "[",
            !item.name.contains(where: { "/?#".contains($0) }), !item.isURL
        else { return nil }
        self = item
    }

    private var isURL: Bool {
        guard kind == .field else { return false }
        if value.hasPrefix("//") { return true }
        let port = value.prefix { $0.isASCII && $0.isNumber }
        let end = value.dropFirst(port.count).first
        let isPort = (1...5).contains(port.count) && (end.map { "/?#".contains($0) } ?? true)
        return isPort && (name.contains(".") || name.lowercased() == "localhost")
    }

    /// Returns an item as it was typed, without its secrets.
    static func presentable(_ text: String) -> String {
        guard let item = split(text) else { return text }
        let start = item.name + item.kind.rawValue
        if SecretName.isSecret(item.name) { return start + SecretName.placeholder }
        switch item.kind {
        case .json: return start + JSONRedactor.redact(item.value) { SecretName.isSecret($0) }
        case .field: return start + ShellText.field(item.name, item.value)
        default: return text
        }
    }
}

/// The kind of an operand of the command line.
enum OperandKind: Equatable, Sendable {
    case method(String)
    case url(String)
    case item(RequestItem)

    /// Returns the kind of each token; `nil` for options other than `--url`.
    ///
    /// The first operand is a method if it consists of at least two capital letters and another operand follows. The
    /// next one is a URL, and all that follow are items or further URLs. With `--batch`, or with `--config`, whose URLs
    /// are not known here, no URL has to precede the items.
    static func kinds(of tokens: [ArgumentScanner.Token]) -> [OperandKind?] {
        var rest = tokens.count { $0.option == nil }
        var hasURL = false
        let isListed = tokens.contains { $0.option == .batch || $0.option == .config }
        var hasOperand = false
        return tokens.map { token in
            switch token {
            case .option(.url, let value):
                hasURL = true
                return .url(value ?? "")
            case .option: return nil
            case .operand(let text):
                rest -= 1
                defer { hasOperand = true }
                if !hasURL, !hasOperand, rest > 0, isMethod(text) { return .method(text) }
                if hasURL || isListed, let item = RequestItem(parsing: text) { return .item(item) }
                hasURL = true
                return .url(text)
            }
        }
    }

    private static func isMethod(_ text: String) -> Bool {
        text.utf8.count >= 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
