import FerrySession

/// Which parts of a message are left out of logs.
public struct Redaction: Sendable, Hashable {
    /// What stands where something was left out.
    public static let placeholder = "<redacted>"

    /// The names of the header fields whose values are left out, in lower case.
    public private(set) var headerNames: Set<String>

    /// Makes a redaction.
    ///
    /// The values of `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`, and passwords in URLs, are left
    /// out in any case.
    ///
    /// - Parameter headerNames: The names of more header fields, in any case.
    public init(headerNames: Set<String> = []) {
        let always = ["authorization", "proxy-authorization", "cookie", "set-cookie"]
        self.headerNames = Set(headerNames.map { $0.lowercased() }).union(always)
    }

    /// The value of a header field, unless it is to be left out.
    func value(_ value: String, of name: String) -> String {
        headerNames.contains(name.lowercased()) ? Self.placeholder : value
    }

    /// A URL without its password.
    func text(_ url: URL?) -> String {
        guard let url else { return "" }
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true), components.password != nil else {
            return url.absoluteString
        }
        components.password = "redacted"
        return components.url?.absoluteString ?? Self.placeholder
    }
}
