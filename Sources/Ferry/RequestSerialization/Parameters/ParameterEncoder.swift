import Foundation

/// An encoder that converts any `Encodable` value to a ``ParameterValue``.
///
/// Dates, data, decimals and sets have their own cases, so that ``QueryEncoding`` can apply its styles to them.
public struct ParameterEncoder: Sendable {
    /// Creates an encoder.
    public init() {}

    /// Returns a value encoded as a ``ParameterValue``.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The encoded value; an empty dictionary for a type that encodes nothing.
    /// - Throws: The error that the value's `encode(to:)` throws.
    public func encode(_ value: any Encodable) throws -> ParameterValue {
        try node(for: value, codingPath: []).value
    }

    /// Returns a node with the encoded value.
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

    /// Returns the value if its type is converted directly, or `nil` if it must be encoded with `encode(to:)`.
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

/// Distinguishes sets from arrays, since a set encodes itself as an array in arbitrary order.
private protocol EncodableSet {
    var encodableMembers: [any Encodable] { get }
}

extension Set: EncodableSet where Element: Encodable {
    fileprivate var encodableMembers: [any Encodable] { Array(self) }
}
