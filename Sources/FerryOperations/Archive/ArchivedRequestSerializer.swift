/// A request serializer that can be archived: one of Ferry's own.
enum ArchivedRequestSerializer: Codable, Sendable {
    case form(HTTPRequestSerializer)
    case json(JSONRequestSerializer)
    case propertyList(PropertyListRequestSerializer)

    /// Wraps a serializer; nil if it cannot be archived.
    init?(_ serializer: any RequestSerializer) {
        switch serializer {
        case let serializer as HTTPRequestSerializer: self = .form(serializer)
        case let serializer as JSONRequestSerializer: self = .json(serializer)
        case let serializer as PropertyListRequestSerializer: self = .propertyList(serializer)
        default: return nil
        }
    }

    var serializer: any ConfigurableRequestSerializer {
        switch self {
        case .form(let serializer): serializer
        case .json(let serializer): serializer
        case .propertyList(let serializer): serializer
        }
    }
}
