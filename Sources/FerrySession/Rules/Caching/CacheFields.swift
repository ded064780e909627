/// The fields of a response that caching looks at, read in one pass.
struct CacheFields: Sendable {
    private(set) var control = CacheControl()
    /// `Age`, in seconds; `nil` where it is missing or no number (RFC 9111, section 5.1).
    private(set) var age: Int?
    private(set) var lastModifiedText: String?
    private(set) var entityTag: String?
    private var dateText: String?
    private var expiresText: String?
    /// The names of `Vary` in lower case, sorted; `nil` for one with an asterisk, which nothing matches.
    private(set) var vary: [String]? = []

    init(_ fields: [ResponseHead.Field]) {
        var controls: [String] = []
        var varies: [String] = []
        for field in fields {
            // Few names are compared in full.
            switch field.name.utf8.count {
            case 13 where field.name.isEqualIgnoringCase("cache-control"): controls.append(field.value)
            case 13 where field.name.isEqualIgnoringCase("last-modified"):
                lastModifiedText = lastModifiedText ?? field.value
            case 7 where field.name.isEqualIgnoringCase("expires"): expiresText = expiresText ?? field.value
            case 4 where field.name.isEqualIgnoringCase("etag"): entityTag = entityTag ?? field.value
            case 4 where field.name.isEqualIgnoringCase("date"): dateText = dateText ?? field.value
            case 4 where field.name.isEqualIgnoringCase("vary"): varies.append(field.value)
            case 3 where field.name.isEqualIgnoringCase("age") && age == nil: age = Self.age(field.value)
            default: break
            }
        }
        if !controls.isEmpty { control = CacheControl(controls) }
        if !varies.isEmpty { vary = Self.names(varies) }
    }

    // Dates are read when they are wanted: most responses are not stored.

    var date: Date? { dateText.flatMap { HTTPDate.parse($0) } }

    var lastModified: Date? { lastModifiedText.flatMap { HTTPDate.parse($0) } }

    /// `nil` without the field; the distant past where it is no date, which means stale (section 5.3).
    var expires: Date? { expiresText.map { HTTPDate.parse($0) ?? .distantPast } }

    /// Whether the response has anything to tell its lifetime by.
    var mayHaveLifetime: Bool { control.maximumAge != nil || expiresText != nil || lastModifiedText != nil }

    /// Whether the server can be asked if the response has changed.
    var hasValidator: Bool {
        (entityTag != nil || lastModifiedText != nil) && !CacheValidation.conditions(self).isEmpty
    }

    /// The first member of a list counts, and the rest is thrown away (section 5.1).
    private static func age(_ value: String) -> Int? {
        let first = value.prefix { $0 != "," }
        return CacheControl.seconds(first.trimmingCharacters(in: .whitespaces))
    }

    /// The names of all the values of `Vary`, sorted; `nil` where one is an asterisk (RFC 9111, section 4.1).
    private static func names(_ values: [String]) -> [String]? {
        let names = values.flatMap { value in
            value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        }
        return names.contains("*") ? nil : Set(names.filter { !$0.isEmpty }).sorted()
    }
}
