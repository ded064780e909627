import Ferry

/// A part of the request that is written after the URL, as in HTTPie.
enum RequestItem: Equatable, Sendable {
    /// `name:value`, a header field; without a value, the field is left out.
    case field(String, String)
    /// `name==value`, a parameter of the query.
    case query(String, String)
    /// `name=value`, a string.
    case text(String, String)
    /// `name=@file`, the contents of a file as a string.
    case textFile(String, String)
    /// `name:=json`, a JSON value.
    case json(String, String)
    /// `name:=@file`, the contents of a file as a JSON value.
    case jsonFile(String, String)
    /// `name@file`, a file as a part of a form.
    case file(String, String)

    /// Whether the item is a part of the body.
    var isData: Bool {
        switch self {
        case .field, .query: false
        case .text, .textFile, .json, .jsonFile, .file: true
        }
    }

    var isFile: Bool { if case .file = self { true } else { false } }
}

extension RequestItem {
    /// The separators; if several begin at the same place, the first one in this list is used.
    private static let separators: [(text: String, make: @Sendable (String, String) -> RequestItem)] = [
        (":=@", { .jsonFile($0, $1) }), (":=", { .json($0, $1) }), ("==", { .query($0, $1) }),
        ("=@", { .textFile($0, $1) }), (":", { .field($0, $1) }), ("=", { .text($0, $1) }), ("@", { .file($0, $1) }),
    ]

    /// Splits a text at its first separator, or returns `nil` if it has none.
    static func split(_ text: String) -> (name: Substring, separator: String, value: Substring)? {
        guard let start = text.firstIndex(where: { $0 == ":" || $0 == "=" || $0 == "@" }) else { return nil }
        guard let separator = separators.first(where: { text[start...].hasPrefix($0.text) })?.text else { return nil }
        return (text[..<start], separator, text[start...].dropFirst(separator.count))
    }

    /// Parses an item; `nil` if the text is a URL.
    ///
    /// A text is a URL if it has no separator, or if what precedes its first separator
    /// - is empty, as in `:8080/path`, or has a slash, a question mark or a number sign, or begins with a bracket:
    ///   `example.com/?a=b`;
    /// - is the scheme of a URL: `http://example.com`;
    /// - is `localhost` or has a dot, and a port follows: `example.com:8443/path`.
    init?(parsing text: String) {
        guard let (name, separator, value) = Self.split(text), !name.isEmpty,
            name.first != "[", !name.contains(where: { "/?#".contains($0) }), !Self.isURL(name, separator, value),
            let make = Self.separators.first(where: { $0.text == separator })?.make
        else { return nil }
        self = make(String(name), String(value))
    }

    private static func isURL(_ name: Substring, _ separator: String, _ value: Substring) -> Bool {
        guard separator == ":" else { return false }
        if value.hasPrefix("//") { return true }
        let port = value.prefix { $0.isASCII && $0.isNumber }
        let end = value.dropFirst(port.count).first
        let isPort = (1...5).contains(port.count) && (end.map { "/?#".contains($0) } ?? true)
        return isPort && (name.contains(".") || name.lowercased() == "localhost")
    }

    /// Returns an item as it was typed, without its secrets.
    static func presentable(_ text: String) -> String {
        guard let (name, separator, value) = split(text) else { return text }
        if SecretName.isSecret(name) { return name + separator + SecretName.placeholder }
        switch separator {
        case ":=": return name + separator + JSONRedactor.redact(String(value)) { SecretName.isSecret($0) }
        case ":": return name + separator + ShellText.field(String(name), String(value))
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
