extension HTTPHeaders {
    /// The header fields that a request serializer sends by default: `Accept-Language` and `User-Agent`.
    public static let `default`: HTTPHeaders = {
        let languages = acceptLanguage(for: Locale.preferredLanguages)
        return HTTPHeaders((languages.isEmpty ? [] : [.acceptLanguage(languages)]) + [.userAgent(defaultUserAgent)])
    }()

    /// Returns the value of an `Accept-Language` field for languages in order of preference.
    ///
    /// An example is `en;q=1, fr;q=0.9`.
    ///
    /// AFNetworking: at most six languages, each with a weight that is a tenth lower than the one before.
    public static func acceptLanguage(for languages: [String]) -> String {
        zip(languages, ["1", "0.9", "0.8", "0.7", "0.6", "0.5"])
            .map { language, weight in "\(language);q=\(weight)" }
            .joined(separator: ", ")
    }

    /// The version of Ferry in the `User-Agent` field.
    package static let ferryVersion = "0.1.0"

    private static let defaultUserAgent: String = {
        let info = Bundle.main.infoDictionary ?? [:]
        return userAgent(
            product: info["CFBundleExecutable"] as? String ?? ProcessInfo.processInfo.processName,
            version: info["CFBundleShortVersionString"] as? String ?? info["CFBundleVersion"] as? String,
            system: ProcessInfo.processInfo.operatingSystemVersionString
        )
    }()

    /// Returns the value of a `User-Agent` field (RFC 9110, section 10.1.5).
    ///
    /// An example is `tool/1.2 (Debian 12) Ferry/0.1.0`.
    ///
    /// Text outside ASCII is transliterated, as in AFNetworking. In tokens, characters that are not allowed become
    /// hyphens.
    package static func userAgent(product: String, version: String?, system: String) -> String {
        let version = version.flatMap(token).map { "/\($0)" } ?? ""
        let comment = folded(system).filter { character in !"()\\".contains(character) && !character.isNewline }
        return "\(token(product) ?? "Swift")\(version) \(comment.isEmpty ? "" : "(\(comment)) ")Ferry/\(ferryVersion)"
    }

    private static func token(_ text: String) -> String? {
        let bytes = folded(text).utf8.map { byte in HeaderRule.isTokenByte(byte) ? byte : UInt8(ascii: "-") }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func folded(_ text: String) -> String {
        // ASCII needs no transliteration, and the transform's tables take five megabytes.
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let transform = StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove")
        let latin = isASCII ? text : text.applyingTransform(transform, reverse: false) ?? text
        return String(latin.unicodeScalars.filter { scalar in scalar.isASCII && scalar.value >= 0x20 })
    }
}
