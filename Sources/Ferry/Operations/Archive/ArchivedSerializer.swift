/// A response serializer that can be archived: one without closures.
enum ArchivedSerializer: Codable, Sendable {
    case data(HTTPDataResponseSerializer)
    case json(JSONResponseSerializer)
    case propertyList(PropertyListResponseSerializer)
    case string(StringResponseSerializer)

    /// Takes a serializer; nil if it cannot be archived.
    init?(_ serializer: any ResponseSerializer) {
        switch serializer {
        case let serializer as HTTPDataResponseSerializer: self = .data(serializer)
        case let serializer as JSONResponseSerializer: self = .json(serializer)
        case let serializer as PropertyListResponseSerializer: self = .propertyList(serializer)
        case let serializer as StringResponseSerializer: self = .string(serializer)
        default: return nil
        }
    }

    /// The serializer.
    var serializer: any ResponseSerializer {
        switch self {
        case .data(let serializer): serializer
        case .json(let serializer): serializer
        case .propertyList(let serializer): serializer
        case .string(let serializer): serializer
        }
    }
}
