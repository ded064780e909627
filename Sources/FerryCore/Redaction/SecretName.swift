/// Recognizes the names of header fields, query parameters, form fields and JSON members whose values are secret.
package enum SecretName {
    /// The text that replaces a secret value.
    package static let placeholder = "<redacted>"

    /// Returns a Boolean value that indicates whether a name suggests that its value is secret.
    ///
    /// Case and all characters except letters and digits are ignored: `api_key`, `apiKey` and `X-Api-Key` are equal.
    package static func isSecret(_ name: some StringProtocol) -> Bool {
        // No known name is longer, and the limit bounds the work; a longer name counts as secret.
        let longest = 256
        guard name.utf8.count <= longest else { return true }
        let plain = plain(name)
        return whole.contains(plain) || (plain != "tokentype" && parts.contains { plain.contains($0) })
    }

    /// Returns a Boolean value that indicates whether a number with a name counts tokens, as `total_tokens` does.
    package static func isCount(_ name: some StringProtocol) -> Bool { plain(name).contains("tokens") }

    /// Names that are compared as a whole, because they are also parts of harmless names.
    private static let whole: Set<String> = [
        "cookie", "setcookie", "key", "sig", "pwd", "pass", "auth", "jwt", "sid", "otp", "xkey", "xauth",
        "authkey", "xauthkey", "functionskey", "xfunctionskey", "subscriptionkey", "ocpapimsubscriptionkey",
    ]

    private static let parts = [
        "authorization", "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey",
        "credential", "signature", "sessionid", "assertion", "codeverifier",
    ]

    private static func plain(_ name: some StringProtocol) -> String {
        String(decoding: name.utf8.compactMap(plainByte), as: UTF8.self)
    }

    private static func plainByte(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        default: nil
        }
    }
}
