/// The parts of a message that are left out of logs and command lines.
///
/// These are left out unless ``none`` is chosen, and ``placeholder`` is written in place of values:
/// - user and password of a URL;
/// - the values of `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, and of header fields whose names
///   contain `token`, `secret`, `password`, `apikey`, `signature`, `credential` or the like, such as `X-Api-Key`;
/// - parameters with such names in the query and the fragment of a URL and in a form, such as `access_token`, `sig` and
///   `key`;
/// - strings in members with such names in a JSON body, and numbers, which become 0, except counts of tokens;
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

    /// Returns the name of a header field without secrets: an invalid name may be a whole field with its value.
    func name(_ name: String) -> String { isOn ? PresentableText.argument(name) : name }

    /// Returns the value of a header field, or the placeholder if it must be left out.
    func value(_ value: String, of name: String) -> String {
        guard isOn else { return value }
        if headerNames.contains(name.lowercased()) { return Self.placeholder }
        return PresentableText.field(name, value, isSecretParameter: isSecret)
    }

    /// Returns the text of a URL as it is written to logs: without user information, and with ``placeholder`` in place
    /// of the values of secret parameters.
    public func redacted(_ url: URL) -> String { text(url) }

    /// Returns a URL without user information and secret parameters.
    func text(_ url: URL?) -> String {
        guard let text = url?.absoluteString else { return "" }
        return isOn ? PresentableText.url(text, isSecret: isSecret) : text
    }

    /// Returns a body as text without secrets; nil if only its size is shown.
    func body(_ text: String, type: String?) -> String? {
        isOn ? PresentableText.body(text, type: type, isSecret: isSecret) : text
    }

    private func isSecret(_ name: String) -> Bool {
        SecretName.isSecret(name) || (!parameterNames.isEmpty && parameterNames.contains(name.lowercased()))
    }
}
