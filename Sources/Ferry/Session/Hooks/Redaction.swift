import FerrySession

/// The parts of a message that are left out of logs and command lines.
///
/// These are left out unless ``none`` is chosen, and ``placeholder`` is written in place of values:
/// - user and password of a URL;
/// - the values of `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, and of header fields whose names
///   contain `token`, `secret`, `password`, `apikey`, `signature`, `credential` or the like, such as `X-Api-Key`;
/// - parameters with such names in the query and the fragment of a URL and in a form, such as `access_token`, `sig` and
///   `key`;
/// - members with such names in a JSON body, whatever their values are;
/// - `multipart/form-data` bodies as a whole, in whose place their size is written.
///
/// Such names are compared without regard to case, using only their letters and digits. Other bodies are shown as they
/// are.
public struct Redaction: Sendable, Hashable {
    /// The text that is written in place of what is left out.
    public static let placeholder = SecretName.placeholder

    /// A redaction that leaves nothing out, for a command line that must work when it is pasted into a shell.
    public static let none = Redaction(isOn: false)

    /// The lower-case names of the header fields whose values are always left out.
    public private(set) var headerNames: Set<String>

    /// The lower-case names of additional parameters and JSON members whose values are left out.
    public private(set) var parameterNames: Set<String>

    private let isOn: Bool

    /// Creates a redaction that leaves out everything listed above, and additional names, in any case.
    public init(headerNames: Set<String> = [], parameterNames: Set<String> = []) {
        let always = ["authorization", "proxy-authorization", "cookie", "set-cookie"]
        self.headerNames = Set(headerNames.map { $0.lowercased() }).union(always)
        self.parameterNames = Set(parameterNames.map { $0.lowercased() })
        isOn = true
    }

    private init(isOn: Bool) { (headerNames, parameterNames, self.isOn) = ([], [], isOn) }

    /// Returns the value of a header field, or the placeholder if it must be left out.
    func value(_ value: String, of name: String) -> String {
        guard isOn else { return value }
        let folded = name.lowercased()
        if headerNames.contains(folded) || SecretName.isSecret(name) { return Self.placeholder }
        let isURL = ["referer", "location", "content-location", "origin"].contains(folded)
        return isURL ? text(of: value) : value
    }

    /// Returns the text of a URL as it is written to logs: without user information, and with ``placeholder`` in place
    /// of the values of secret parameters.
    public func redacted(_ url: URL) -> String { text(of: url.absoluteString) }

    /// Returns a URL without user information and secret parameters.
    func text(_ url: URL?) -> String { url.map { text(of: $0.absoluteString) } ?? "" }

    private func text(of url: String) -> String {
        guard isOn else { return url }
        return PresentableText.withoutSecretParameters(PresentableText.withoutUserInfo(url), isSecret: isSecret)
    }

    /// Returns a body as text without secrets; nil for one whose size alone is shown.
    ///
    /// A body without a content type is treated as a form, which is how it is sent.
    func body(_ text: String, type: String?) -> String? {
        guard isOn else { return text }
        let type = type?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        // A byte and not a character, which may be as long as the whole text and slow to compare.
        let first = text.utf8.first { $0 > 0x20 }
        if type?.hasPrefix("multipart/") == true { return nil }
        if type == "application/x-www-form-urlencoded" {
            return PresentableText.redactedPairs(text[...], isSecret: isSecret)
        }
        if type?.hasSuffix("json") == true || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            return JSONRedactor.redact(text, isSecret: isSecret)
        }
        return type == nil ? PresentableText.redactedPairs(text[...], isSecret: isSecret) : text
    }

    private func isSecret(_ name: String) -> Bool {
        SecretName.isSecret(name) || (!parameterNames.isEmpty && parameterNames.contains(name.lowercased()))
    }
}

/// A scanner that replaces the values of secret members in JSON text, and leaves everything else as it is.
///
/// It scans instead of parsing, so that malformed JSON is shown without its secrets too. It takes linear time, and
/// nesting needs no stack.
package struct JSONRedactor {
    private let bytes: [UInt8]
    private var index = 0
    private var result: [UInt8] = []

    /// Returns a text with a placeholder in place of each value whose member has a secret name.
    package static func redact(_ text: String, isSecret: (String) -> Bool) -> String {
        var redactor = JSONRedactor(bytes: Array(text.utf8))
        redactor.run(isSecret)
        return String(decoding: redactor.result, as: UTF8.self)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        result.reserveCapacity(bytes.count)
    }

    private mutating func run(_ isSecret: (String) -> Bool) {
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let start = index
            skipString()
            result += bytes[start..<index]
            let end = index
            skipWhitespace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else {
                index = end
                continue
            }
            index += 1
            skipWhitespace()
            result += bytes[end..<index]
            guard index < bytes.count, isSecret(Self.name(bytes[start..<end])) else { continue }
            skipValue()
            result += "\"\(SecretName.placeholder)\"".utf8
        }
    }

    /// Returns the text of a string with its escapes decoded (RFC 8259, section 7); a malformed one as it is.
    private static func name(_ literal: ArraySlice<UInt8>) -> String {
        let decoded = try? JSONDecoder().decode([String].self, from: Data("[".utf8 + literal + "]".utf8))
        return decoded?.first ?? String(decoding: literal, as: UTF8.self)
    }

    private mutating func skipWhitespace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    /// Moves past the quote that ends the string at the index.
    private mutating func skipString() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, bytes.count)
    }

    /// Moves past a value: a string, a whole array or object, or anything up to a comma, bracket or white space.
    private mutating func skipValue() {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return
                }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return }
            default: break
            }
            index += 1
        }
    }
}
