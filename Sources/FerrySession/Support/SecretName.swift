/// Which names of header fields, query parameters, form fields and JSON members have values that are left out of texts.
package enum SecretName {
    /// What is written in place of a value.
    package static let placeholder = "<redacted>"

    /// Returns a Boolean value that indicates whether the name says that its value is a secret.
    ///
    /// Case and everything but letters and digits make no difference: `api_key`, `apiKey` and `X-Api-Key` are alike.
    package static func isSecret(_ name: some StringProtocol) -> Bool {
        // No such name is longer, and the work is bounded.
        let longest = 256
        guard name.utf8.count <= longest else { return true }
        let plain = String(decoding: name.utf8.compactMap(plainByte), as: UTF8.self)
        return whole.contains(plain) || parts.contains { plain.contains($0) }
    }

    /// Names that are secret as a whole, since they are parts of harmless ones.
    private static let whole: Set<String> = [
        "cookie", "setcookie", "key", "sig", "pwd", "pass", "auth", "jwt", "sid", "otp", "xkey", "xauth",
        "authkey", "xauthkey", "functionskey", "xfunctionskey", "subscriptionkey", "ocpapimsubscriptionkey",
    ]

    private static let parts = [
        "authorization", "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey",
        "credential", "signature", "sessionid", "assertion", "codeverifier",
    ]

    private static func plainByte(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        default: nil
        }
    }
}
