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

    /// Creates a redaction that leaves out everything listed above, and more.
    ///
    /// - Parameters:
    ///   - headerNames: The names of additional header fields, in any case.
    ///   - parameterNames: The names of additional parameters of queries and forms and of JSON members, in any case.
    public init(headerNames: Set<String> = [], parameterNames: Set<String> = []) {
        let always = ["authorization", "proxy-authorization", "cookie", "set-cookie"]
        self.headerNames = Set(headerNames.map { $0.lowercased() }).union(always)
        self.parameterNames = Set(parameterNames.map { $0.lowercased() })
        isOn = true
    }

    private init(isOn: Bool) {
        (headerNames, parameterNames, self.isOn) = ([], [], isOn)
    }

    /// Returns the value of a header field, or the placeholder if it must be left out.
    func value(_ value: String, of name: String) -> String {
        guard isOn else { return value }
        let folded = name.lowercased()
        if headerNames.contains(folded) || SecretName.isSecret(name) { return Self.placeholder }
        let isURL = ["referer", "location", "content-location", "origin"].contains(folded)
        return isURL ? text(of: value) : value
    }

    /// Returns a URL without user information and secret parameters.
    func text(_ url: URL?) -> String {
        url.map { text(of: $0.absoluteString) } ?? ""
    }

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
