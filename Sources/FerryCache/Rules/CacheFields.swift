/// The fields of a response that are relevant for caching, read in one pass.
package struct CacheFields: Sendable {
    package private(set) var control = CacheControl()
    /// `Age`, in seconds; `nil` if it is missing or not a number (RFC 9111, section 5.1).
    package private(set) var age: Int?
    package private(set) var lastModifiedText: String?
    package private(set) var entityTag: String?
    private var dateText: String?
    private var expiresText: String?
    /// The sorted names in `Vary`, in lower case; `nil` with an asterisk, an invalid name, or more than 100 names.
    package private(set) var vary: [String]? = []

    package init(_ fields: [ResponseHead.Field]) {
        var controls: [String] = []
        var varying: [String] = []
        for field in fields {
            // Comparing lengths first leaves few names to compare in full.
            switch field.name.utf8.count {
            case 13 where field.name.isEqualIgnoringCase("cache-control"): controls.append(field.value)
            case 13 where field.name.isEqualIgnoringCase("last-modified"):
                lastModifiedText = lastModifiedText ?? field.value
            case 7 where field.name.isEqualIgnoringCase("expires"): expiresText = expiresText ?? field.value
            case 4 where field.name.isEqualIgnoringCase("etag"): entityTag = entityTag ?? field.value
            case 4 where field.name.isEqualIgnoringCase("date"): dateText = dateText ?? field.value
            case 4 where field.name.isEqualIgnoringCase("vary"): varying.append(field.value)
            case 3 where field.name.isEqualIgnoringCase("age") && age == nil: age = Self.age(field.value)
            default: break
            }
        }
        if !controls.isEmpty { control = CacheControl(controls) }
        if !varying.isEmpty { vary = Self.names(varying) }
    }

    // Dates are parsed on demand: most responses are not stored.

    package var date: Date? { dateText.flatMap { HTTPDate.parse($0) } }
    package var lastModified: Date? { lastModifiedText.flatMap { HTTPDate.parse($0) } }
    /// The date of `Expires`; `nil` without it, the distant past if it is invalid, which means stale (section 5.3).
    package var expires: Date? { expiresText.map { HTTPDate.parse($0) ?? .distantPast } }

    /// Whether the response has a validator that can be sent to the server.
    package var hasValidator: Bool { !CacheValidation.conditions(self).isEmpty }

    /// Only the first member of a list counts (section 5.1).
    private static func age(_ value: String) -> Int? {
        DeltaSeconds.read((value[...].utf8.cut(at: ",")?.before ?? value[...].utf8).trimmed.string)
    }

    private static func names(_ values: [String]) -> [String]? {
        var names: Set<String> = []
        for member in values.lazy.flatMap({ $0[...].utf8.parts(between: ",") }).map(\.trimmed) where !member.isEmpty {
            let name = member.string
            guard HeaderRule.isToken(name), name != "*" else { return nil }
            names.insert(name.lowercased())
            guard names.count <= 100 else { return nil }
        }
        return names.sorted()
    }
}

/// The directives of `Cache-Control` in requests and responses (RFC 9111, section 5.2).
package struct CacheControl: Hashable, Sendable {
    package var isNoStore = false
    /// Also set with field names, which a cache may ignore (section 5.2.2.4).
    package var isNoCache = false
    package var isPublic = false
    package var isPrivate = false
    package var mustRevalidate = false
    package var mustUnderstand = false
    package var isOnlyIfCached = false
    /// The seconds of `max-age`, as those of the directives below; zero if it is invalid (section 4.2.1).
    package var maximumAge: Int?
    /// The seconds of `max-stale`; `Int.max` for any staleness.
    package var maximumStaleness: Int?
    package var minimumFreshness: Int?
    package var staleWhileRevalidate: Int?
    package var staleIfError: Int?

    /// Whether the response is for every user; of two directives the more restrictive one counts (section 4.2.1).
    package var isForAnyone: Bool { isPublic && !isPrivate }

    package init() {}

    /// Reads all values of the field.
    package init(_ values: [String]) {
        for (name, argument) in values.flatMap(Self.split) { add(name, argument) }
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
            let seconds = argument.flatMap(DeltaSeconds.read) ?? 0
            // If two differ, the response counts as stale (section 4.2.1).
            maximumAge = maximumAge.map { $0 == seconds ? seconds : 0 } ?? seconds
        case "max-stale": maximumStaleness = argument.map { DeltaSeconds.read($0) ?? maximumStaleness } ?? .max
        case "min-fresh": minimumFreshness = argument.flatMap(DeltaSeconds.read) ?? minimumFreshness
        case "stale-while-revalidate": staleWhileRevalidate = argument.flatMap(DeltaSeconds.read)
        case "stale-if-error": staleIfError = argument.flatMap(DeltaSeconds.read)
        default: break
        }
    }

    /// Splits a value into directives at the commas outside quoted strings.
    private static func split(_ value: String) -> [(name: String, argument: String?)] {
        var directives: [(name: String, argument: String?)] = []
        var name: [UInt8] = []
        var argument: [UInt8]?
        var isQuoted = false
        var isEscaped = false
        func finish() {
            // A blank before the equals sign is invalid: the name counts, but its argument does not.
            let hasBlank = name.last?.isBlank ?? false
            let trimmed = withoutFinalBlanks(name).drop(while: \.isBlank)
            // No relevant directive has a longer name, and comparing hostile text takes quadratic time.
            guard !trimmed.isEmpty, trimmed.count <= 32 else { return }
            let text = argument.map { hasBlank ? "" : String(decoding: withoutFinalBlanks($0), as: UTF8.self) }
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

    private static func withoutFinalBlanks(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes[..<(bytes.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? 0)]
    }
}
