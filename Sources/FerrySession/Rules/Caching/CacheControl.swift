/// The directives of `Cache-Control` in requests and responses (RFC 9111, section 5.2).
struct CacheControl: Hashable, Sendable {
    var isNoStore = false
    /// Also set with field names, which a cache may ignore (section 5.2.2.4).
    var isNoCache = false
    var isPublic = false
    var isPrivate = false
    var mustRevalidate = false
    var mustUnderstand = false
    var isOnlyIfCached = false
    /// In seconds, like the properties below.
    ///
    /// Zero if the directive is invalid, since the response is then stale (section 4.2.1).
    var maximumAge: Int?
    /// `Int.max` for any staleness.
    var maximumStaleness: Int?
    var minimumFreshness: Int?
    var staleWhileRevalidate: Int?
    var staleIfError: Int?

    /// Whether the response must not be stored.
    ///
    /// `must-understand` overrides `no-store` (section 5.2.2.3).
    var forbidsStoring: Bool { isNoStore && !mustUnderstand }

    init() {}

    /// Reads all values of the field.
    init(_ values: [String]) {
        for value in values {
            for directive in Self.split(value) { add(directive.name, directive.argument) }
        }
    }

    private mutating func add(_ name: String, _ argument: String?) {
        switch name {
        case "no-store": isNoStore = true
        case "no-cache": isNoCache = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "only-if-cached": isOnlyIfCached = true
        case "max-age":
            let seconds = argument.flatMap(Self.seconds) ?? 0
            // If two differ, the response counts as stale (section 4.2.1).
            maximumAge = maximumAge.map { $0 == seconds ? seconds : 0 } ?? seconds
        case "max-stale":
            maximumStaleness = argument.map { Self.seconds($0) ?? maximumStaleness } ?? .max
        case "min-fresh": minimumFreshness = argument.flatMap(Self.seconds) ?? minimumFreshness
        case "stale-while-revalidate": staleWhileRevalidate = argument.flatMap(Self.seconds)
        case "stale-if-error": staleIfError = argument.flatMap(Self.seconds)
        default: break
        }
    }

    /// Returns a number of seconds (section 1.2.2): only digits, with 2^31 for anything larger.
    static func seconds(_ string: String) -> Int? {
        guard !string.isEmpty, string.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let most = 2_147_483_648
        return min(Int(string) ?? most, most)
    }

    /// Splits a value into directives at the commas outside quoted strings.
    private static func split(_ value: String) -> [(name: String, argument: String?)] {
        var directives: [(name: String, argument: String?)] = []
        var name: [UInt8] = []
        var argument: [UInt8]?
        var isQuoted = false
        var isEscaped = false
        func finish() {
            let trimmed = trim(name)
            // A blank before the equals sign is invalid: the name counts, but its argument does not.
            let hasBlank = name.last.map(isBlank) ?? false
            // No relevant directive has a longer name, and comparing hostile text takes quadratic time.
            guard !trimmed.isEmpty, trimmed.count <= 32 else { return }
            let text = argument.map { hasBlank ? "" : String(decoding: trim($0[...], start: false), as: UTF8.self) }
            directives.append((String(decoding: trimmed, as: UTF8.self).lowercased(), text))
        }
        for byte in value.utf8 {
            if isEscaped {
                argument?.append(byte)
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\""), argument != nil {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                finish()
                name.removeAll(keepingCapacity: true)
                argument = nil
            } else if argument != nil {
                argument?.append(byte)
            } else if byte == UInt8(ascii: "=") {
                argument = []
            } else {
                name.append(byte)
            }
        }
        finish()
        return directives
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trim(_ bytes: [UInt8]) -> ArraySlice<UInt8> { trim(bytes[...], start: true) }

    private static func trim(_ bytes: ArraySlice<UInt8>, start: Bool) -> ArraySlice<UInt8> {
        var rest = bytes
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        while start, let first = rest.first, isBlank(first) { rest.removeFirst() }
        return rest
    }
}
