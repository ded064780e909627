/// A response serializer that can be archived: one without closures.
package enum ArchivedSerializer: Codable, Sendable {
    case data(HTTPDataResponseSerializer)
    case json(JSONResponseSerializer)
    case jsonObject(JSONObjectResponseSerializer)
    case propertyList(PropertyListResponseSerializer)
    case string(StringResponseSerializer)
    indirect case compound(CompoundResponseSerializer<any Sendable>)
    indirect case compoundData(CompoundResponseSerializer<Data>)

    /// Wraps a serializer; nil if it cannot be archived.
    package init?(_ serializer: any ResponseSerializer) {
        switch serializer {
        case let serializer as UntypedResponseSerializer: self.init(serializer.base)
        case let serializer as HTTPDataResponseSerializer: self = .data(serializer)
        case let serializer as JSONResponseSerializer: self = .json(serializer)
        case let serializer as JSONObjectResponseSerializer: self = .jsonObject(serializer)
        case let serializer as PropertyListResponseSerializer: self = .propertyList(serializer)
        case let serializer as StringResponseSerializer: self = .string(serializer)
        case let serializer as CompoundResponseSerializer<any Sendable> where serializer.isArchivable:
            self = .compound(serializer)
        case let serializer as CompoundResponseSerializer<Data> where serializer.isArchivable:
            self = .compoundData(serializer)
        default: return nil
        }
    }

    package var serializer: any ValidatingResponseSerializer {
        switch self {
        case .data(let serializer): serializer
        case .json(let serializer): serializer
        case .jsonObject(let serializer): serializer
        case .propertyList(let serializer): serializer
        case .string(let serializer): serializer
        case .compound(let serializer): serializer
        case .compoundData(let serializer): serializer
        }
    }
}

extension EncodingError {
    /// Returns the error for a value that has a closure and cannot be archived.
    package static func code(_ value: Any, _ what: String, at encoder: any Encoder) -> EncodingError {
        let context = Context(codingPath: encoder.codingPath, debugDescription: "Cannot archive \(what)")
        return .invalidValue(value, context)
    }
}
