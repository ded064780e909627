import Foundation

extension ParameterValue: Encodable {
    /// Encodes the value of the case, without the case itself; a set becomes a sorted array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsignedInteger(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .set(let values): try container.encode(QueryEncoding().sorted(values))
        // As a dictionary, whose keys an encoder's key strategy does not change.
        case .dictionary(let values): try container.encode(values)
        }
    }
}
