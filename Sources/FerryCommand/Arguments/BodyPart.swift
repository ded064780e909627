import Ferry

/// One value of `-d` and its relatives, or of `--json`.
enum BodyPart: Equatable, Sendable {
    case text(String)
    /// A file whose contents are sent unchanged.
    case file(String)
    /// A file whose contents are sent without line breaks and null bytes, as curl's `-d` does.
    case fileWithoutBreaks(String)
    /// A percent-encoded text; the prefix, a name with an equals sign or nothing, is sent as it is.
    case encoded(prefix: String, text: String)
    case encodedFile(prefix: String, path: String)

    /// Parses text, or the name of a file after an `@`.
    init(parsing value: String) {
        self = value.hasPrefix("@") ? .file(String(value.dropFirst())) : .text(value)
    }

    init(parsingData value: String) {
        self = value.hasPrefix("@") ? .fileWithoutBreaks(String(value.dropFirst())) : .text(value)
    }

    /// Parses a value of `--data-urlencode`: the name is before the first `=`, or else before the first `@`.
    init(parsingEncoded value: String) {
        guard let mark = value.firstIndex(of: "=") ?? value.firstIndex(of: "@") else {
            self = .encoded(prefix: "", text: value)
            return
        }
        let prefix = mark == value.startIndex ? "" : value[..<mark] + "="
        let rest = String(value[value.index(after: mark)...])
        self = value[mark] == "=" ? .encoded(prefix: prefix, text: rest) : .encodedFile(prefix: prefix, path: rest)
    }

    /// Returns the bytes to send; files are read now.
    func data() throws(CommandFailure) -> Data {
        switch self {
        case .text(let text): return Data(text.utf8)
        case .file(let path): return try UploadBody.content(path)
        case .fileWithoutBreaks(let path):
            return try UploadBody.content(path).filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
        case .encoded(let prefix, let text): return Data((prefix + QueryText.encoded(text.utf8)).utf8)
        case .encodedFile(let prefix, let path):
            return Data((prefix + QueryText.encoded(try UploadBody.content(path))).utf8)
        }
    }
}

/// Percent-encodes the text of queries and forms.
enum QueryText {
    /// Returns bytes as a name or value of a form: letters, digits and `-._~` are kept, and a space becomes `+`.
    static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        bytes.percentEncoded(keeping: "-._~", spaceIsPlus: true)
    }

    /// Returns bytes as a component of a path: only letters, digits and `-._~` are kept (RFC 3986, section 2.3).
    static func component(_ bytes: some Sequence<UInt8>) -> String {
        bytes.percentEncoded(keeping: "-._~")
    }

    /// Returns bytes as a query: only bytes that a URL cannot contain are encoded, so that separators and encoded bytes
    /// are kept (RFC 3986, section 3.4).
    static func query(_ bytes: some Sequence<UInt8>) -> String {
        let query = bytes.percentEncoded(keeping: "-._~!$&'()*+,;=:@/?%", spaceIsPlus: true)
        // A percent sign without two hexadecimal digits behind it would not be valid in a URL.
        return query.replacing(/%(?![0-9A-Fa-f]{2})/, with: "%25")
    }

    static func adding(_ query: String, to url: URL) -> URL {
        guard !query.isEmpty, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        let own = parts.percentEncodedQuery ?? ""
        parts.percentEncodedQuery = own.isEmpty ? query : own + "&" + query
        return parts.url ?? url
    }
}
