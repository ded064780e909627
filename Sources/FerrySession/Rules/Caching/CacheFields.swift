/// The fields of a response that are relevant for caching, read in one pass.
struct CacheFields: Sendable {
    private(set) var control = CacheControl()
    /// `Age`, in seconds; `nil` if it is missing or not a number (RFC 9111, section 5.1).
    private(set) var age: Int?
    private(set) var lastModifiedText: String?
    private(set) var entityTag: String?
    private var dateText: String?
    private var expiresText: String?
    /// The names in `Vary`, in lower case and sorted.
    ///
    /// `nil` if no request can match: with an asterisk, an invalid name, or more than 100 names.
    private(set) var vary: [String]? = []

    init(_ fields: [ResponseHead.Field]) {
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

    var date: Date? { dateText.flatMap { HTTPDate.parse($0) } }

    var lastModified: Date? { lastModifiedText.flatMap { HTTPDate.parse($0) } }

    /// `nil` without the field; the distant past if it is not a date, which means stale (section 5.3).
    var expires: Date? { expiresText.map { HTTPDate.parse($0) ?? .distantPast } }

    /// Whether the response has anything to determine its lifetime from.
    var mayHaveLifetime: Bool { control.maximumAge != nil || expiresText != nil || lastModifiedText != nil }

    /// Whether the response has a validator that can be sent to the server.
    var hasValidator: Bool {
        (entityTag != nil || lastModifiedText != nil) && !CacheValidation.conditions(self).isEmpty
    }

    /// Only the first member of a list counts (section 5.1).
    private static func age(_ value: String) -> Int? {
        CacheControl.seconds((value[...].utf8.cut(at: ",")?.before ?? value[...].utf8).trimmed.string)
    }

    private static func names(_ values: [String]) -> [String]? {
        let most = 100
        var names: Set<String> = []
        for value in values {
            for part in value[...].utf8.parts(between: ",") {
                let member = part.trimmed
                guard !member.isEmpty else { continue }
                let name = member.string
                guard HeaderRule.isToken(name), name != "*" else { return nil }
                names.insert(name.lowercased())
                guard names.count <= most else { return nil }
            }
        }
        return names.sorted()
    }
}
