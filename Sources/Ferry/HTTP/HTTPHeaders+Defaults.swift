import FerrySession

extension HTTPHeaders {
    /// What a request serializer sends unless told otherwise: `Accept-Language` and `User-Agent`.
    public static let `default`: HTTPHeaders = {
        var headers = HTTPHeaders()
        let languages = acceptLanguage(for: Locale.preferredLanguages)
        if !languages.isEmpty {
            headers.add(.acceptLanguage(languages))
        }
        headers.add(.userAgent(defaultUserAgent))
        return headers
    }()

    /// The value of an `Accept-Language` field for languages in order of preference, such as `en;q=1, fr;q=0.9`.
    ///
    /// AFNetworking: six languages at most, the weight of each a tenth below the one before.
    public static func acceptLanguage(for languages: [String]) -> String {
        zip(languages, ["1", "0.9", "0.8", "0.7", "0.6", "0.5"])
            .map { language, weight in "\(language);q=\(weight)" }
            .joined(separator: ", ")
    }

    /// The version of Ferry, as it stands in the `User-Agent` field.
    static let ferryVersion = "0.1.0"

    private static let defaultUserAgent: String = {
        let info = Bundle.main.infoDictionary ?? [:]
        return userAgent(
            product: info["CFBundleExecutable"] as? String ?? ProcessInfo.processInfo.processName,
            version: info["CFBundleShortVersionString"] as? String ?? info["CFBundleVersion"] as? String,
            system: ProcessInfo.processInfo.operatingSystemVersionString
        )
    }()

    /// The value of a `User-Agent` field (RFC 9110, section 10.1.5), such as `tool/1.2 (Debian 12) Ferry/0.1.0`.
    ///
    /// Text outside ASCII is transliterated, as in AFNetworking, and what no token may hold becomes a hyphen.
    static func userAgent(product: String, version: String?, system: String) -> String {
        var products = [token(product) ?? "Swift"]
        if let version = version.flatMap(token) {
            products[0] += "/\(version)"
        }
        let comment = folded(system).filter { character in !"()\\".contains(character) && !character.isNewline }
        if !comment.isEmpty {
            products.append("(\(comment))")
        }
        products.append("Ferry/\(ferryVersion)")
        return products.joined(separator: " ")
    }

    private static func token(_ text: String) -> String? {
        let bytes = folded(text).utf8.map { byte in HTTPSyntax.isTokenByte(byte) ? byte : UInt8(ascii: "-") }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func folded(_ text: String) -> String {
        // ASCII is its own transliteration, and the transform's tables take five megabytes.
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let transform = StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove")
        let latin = isASCII ? text : text.applyingTransform(transform, reverse: false) ?? text
        return String(latin.unicodeScalars.filter { scalar in scalar.isASCII && scalar.value >= 0x20 })
    }
}
