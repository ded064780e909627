import FerrySession

/// Turns any `Encodable` into a ``ParameterValue``.
///
/// Dates, data, decimals and sets keep their kind, so that ``QueryEncoding`` can write them as it is told to.
public struct ParameterEncoder: Sendable {
    /// Creates an encoder.
    public init() {}

    /// The value an `Encodable` stands for.
    ///
    /// - Parameter value: Anything that encodes itself.
    /// - Returns: The value; an empty dictionary for a type that encodes nothing.
    /// - Throws: Whatever the value's `encode(to:)` throws.
    public func encode(_ value: any Encodable) throws -> ParameterValue {
        try node(for: value, codingPath: []).value
    }

    /// The node for a value, which is encoded on the spot.
    func node(for value: any Encodable, codingPath: [any CodingKey]) throws -> ParameterNode {
        if let leaf = leaf(value) {
            return ParameterNode(.leaf(leaf))
        }
        if let set = value as? any EncodableSet {
            let members = set.encodableMembers
            return ParameterNode(.set(try members.map { member in try self.node(for: member, codingPath: codingPath) }))
        }
        let node = ParameterNode()
        try value.encode(to: ParameterNodeEncoder(node: node, encoder: self, codingPath: codingPath))
        return node
    }

    /// The value of a type that has a case of its own.
    func leaf(_ value: Any) -> ParameterValue? {
        switch value {
        case let value as ParameterValue: value
        case let value as String: .string(value)
        case let value as Bool: .bool(value)
        case let value as Date: .date(value)
        case let value as Data: .data(value)
        case let value as Decimal: .decimal(value)
        case let value as URL: .string(value.absoluteString)
        case let value as UUID: .string(value.uuidString)
        case let value as any BinaryInteger: ParameterValue.whole(value)
        case let value as any BinaryFloatingPoint: ParameterValue.float(value)
        default: nil
        }
    }
}

/// Tells sets, which encode themselves as arrays of any order, from arrays.
private protocol EncodableSet {
    var encodableMembers: [any Encodable] { get }
}

extension Set: EncodableSet where Element: Encodable {
    fileprivate var encodableMembers: [any Encodable] { Array(self) }
}
