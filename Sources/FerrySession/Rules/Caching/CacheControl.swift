/// The directives of `Cache-Control`, of requests and of responses (RFC 9111, section 5.2).
struct CacheControl: Hashable, Sendable {
    var isNoStore = false
    /// Also with field names, which a cache may treat as if there were none (section 5.2.2.4).
    var isNoCache = false
    var isPublic = false
    var isPrivate = false
    var mustRevalidate = false
    var mustUnderstand = false
    var isOnlyIfCached = false
    /// A shared cache's lifetime; here it only says that such caches may store the response.
    var hasSharedMaximumAge = false
    /// In seconds, like those below; zero where the directive makes no sense, since the response is stale then
    /// (section 4.2.1).
    var maximumAge: Int?
    /// `Int.max` for any staleness.
    var maximumStaleness: Int?
    var minimumFreshness: Int?
    var staleWhileRevalidate: Int?
    var staleIfError: Int?

    init() {}

    /// Reads all the values of the field.
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
        case "s-maxage": hasSharedMaximumAge = true
        case "max-age":
            let seconds = argument.flatMap(Self.seconds) ?? 0
            // Two that disagree: the response counts as stale (section 4.2.1).
            maximumAge = maximumAge.map { $0 == seconds ? seconds : 0 } ?? seconds
        case "max-stale":
            maximumStaleness = argument.map { Self.seconds($0) ?? maximumStaleness } ?? .max
        case "min-fresh": minimumFreshness = argument.flatMap(Self.seconds) ?? minimumFreshness
        case "stale-while-revalidate": staleWhileRevalidate = argument.flatMap(Self.seconds)
        case "stale-if-error": staleIfError = argument.flatMap(Self.seconds)
        default: break
        }
    }

    /// A number of seconds (section 1.2.2): digits alone, with 2^31 for anything larger.
    static func seconds(_ string: String) -> Int? {
        guard !string.isEmpty, string.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let most = 2_147_483_648
        return min(Int(string) ?? most, most)
    }

    /// Cuts a value into directives; commas in quoted strings are no separators.
    private static func split(_ value: String) -> [(name: String, argument: String?)] {
        var directives: [(name: String, argument: String?)] = []
        var name = ""
        var argument: String?
        var isQuoted = false
        var isEscaped = false
        func finish() {
            let trimmed = name.lowercased().trimmingCharacters(in: .whitespaces)
            // A blank before the equals sign is no grammar: the name counts, its argument makes no sense.
            let hasBlank = name.last == " " || name.last == "\t"
            if !trimmed.isEmpty { directives.append((trimmed, argument.map { hasBlank ? "" : unpadded($0) })) }
        }
        for character in value {
            if isEscaped {
                argument?.append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"", argument != nil {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                finish()
                (name, argument) = ("", nil)
            } else if argument != nil {
                argument?.append(character)
            } else if character == "=" {
                argument = ""
            } else {
                name.append(character)
            }
        }
        finish()
        return directives
    }

    private static func unpadded(_ argument: String) -> String {
        var end = argument.endIndex
        while end > argument.startIndex, " \t".contains(argument[argument.index(before: end)]) {
            end = argument.index(before: end)
        }
        return String(argument[..<end])
    }
}
