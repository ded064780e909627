/// An encoder that converts any `Encodable` value to a ``ParameterValue``.
///
/// Dates, data, decimals and sets have their own cases, so that ``QueryEncoding`` can apply its styles to them.
package struct ParameterEncoder: Sendable {
    package init() {}

    /// Returns a value encoded as a ``ParameterValue``.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The encoded value; an empty dictionary for a type that encodes nothing.
    /// - Throws: The error that the value's `encode(to:)` throws.
    package func encode(_ value: any Encodable) throws -> ParameterValue {
        try Self.node(for: value, codingPath: []).value
    }

    fileprivate static func node(for value: any Encodable, codingPath: [any CodingKey]) throws -> ParameterNode {
        if let leaf = leaf(value) { return ParameterNode(.leaf(leaf)) }
        if let set = value as? any EncodableSet {
            let members = try set.members.map { try Self.node(for: $0, codingPath: codingPath) }
            return ParameterNode(.set(members))
        }
        let node = ParameterNode()
        try value.encode(to: ParameterNodeEncoder(node: node, codingPath: codingPath))
        return node
    }

    /// Returns the value if its type is converted directly, or `nil` if it must be encoded with `encode(to:)`.
    package static func leaf(_ value: Any) -> ParameterValue? {
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
    var members: [any Encodable] { get }
}

extension Set: EncodableSet where Element: Encodable {
    fileprivate var members: [any Encodable] { Array(self) }
}

/// The `Encoder` that fills one node.
///
/// Integers of 128 bits have methods of their own in all containers, since the protocols' defaults fail.
private struct ParameterNodeEncoder: Encoder, SingleValueEncodingContainer {
    package let node: ParameterNode
    package let codingPath: [any CodingKey]
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeKeyed()
        return KeyedEncodingContainer(KeyedParameterContainer(encoder: self))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeUnkeyed()
        return UnkeyedParameterContainer(encoder: self)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { self }

    package func encodeNil() { node.content = .leaf(.null) }

    package func encode(_ value: some Encodable) throws {
        node.content = try ParameterEncoder.node(for: value, codingPath: codingPath).content
    }

    package func encode(_ value: Int128) throws {
        node.content = try ParameterEncoder.node(for: value, codingPath: codingPath).content
    }

    package func encode(_ value: UInt128) throws {
        node.content = try ParameterEncoder.node(for: value, codingPath: codingPath).content
    }

    package func child(_ key: any CodingKey) -> ParameterNodeEncoder {
        ParameterNodeEncoder(node: ParameterNode(), codingPath: codingPath + [key])
    }
}

private struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    package let encoder: ParameterNodeEncoder
    package var codingPath: [any CodingKey] { encoder.codingPath }

    package func encodeNil(forKey key: Key) { encoder.node.set(ParameterNode(.leaf(.null)), for: key.stringValue) }

    package func encode(_ value: some Encodable, forKey key: Key) throws {
        encoder.node.set(try ParameterEncoder.node(for: value, codingPath: codingPath + [key]), for: key.stringValue)
    }

    package func encode(_ value: Int128, forKey key: Key) throws {
        encoder.node.set(try ParameterEncoder.node(for: value, codingPath: codingPath + [key]), for: key.stringValue)
    }

    package func encode(_ value: UInt128, forKey key: Key) throws {
        encoder.node.set(try ParameterEncoder.node(for: value, codingPath: codingPath + [key]), for: key.stringValue)
    }

    package func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key, isKeyed: true).container(keyedBy: keyType)
    }

    package func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key, isKeyed: false).unkeyedContainer()
    }

    package func superEncoder() -> any Encoder { child(ElementKey(nil)) }

    package func superEncoder(forKey key: Key) -> any Encoder { child(key) }

    /// Returns an encoder for a nested container, which is the stored one if there is one of its kind.
    ///
    /// A class and its superclass may both ask for the container of a key, as `JSONEncoder` allows.
    private func nested(_ key: Key, isKeyed: Bool) -> ParameterNodeEncoder {
        guard let node = encoder.node.container(for: key.stringValue, isKeyed: isKeyed) else { return child(key) }
        return ParameterNodeEncoder(node: node, codingPath: codingPath + [key])
    }

    private func child(_ key: any CodingKey) -> ParameterNodeEncoder {
        let child = encoder.child(key)
        encoder.node.set(child.node, for: key.stringValue)
        return child
    }
}

private struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
    package let encoder: ParameterNodeEncoder
    package var codingPath: [any CodingKey] { encoder.codingPath }
    package var count: Int { encoder.node.count }
    private var nextKey: ElementKey { ElementKey(count) }

    package func encodeNil() { encoder.node.append(ParameterNode(.leaf(.null))) }

    package func encode(_ value: some Encodable) throws {
        encoder.node.append(try ParameterEncoder.node(for: value, codingPath: codingPath + [nextKey]))
    }

    package func encode(_ value: Int128) throws {
        encoder.node.append(try ParameterEncoder.node(for: value, codingPath: codingPath + [nextKey]))
    }

    package func encode(_ value: UInt128) throws {
        encoder.node.append(try ParameterEncoder.node(for: value, codingPath: codingPath + [nextKey]))
    }

    package func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        child().container(keyedBy: keyType)
    }

    package func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }

    package func superEncoder() -> any Encoder { child() }

    private func child() -> ParameterNodeEncoder {
        let child = encoder.child(nextKey)
        encoder.node.append(child.node)
        return child
    }
}

/// The coding key of an array's element, or of a superclass, which is named `super` by Swift's convention.
private struct ElementKey: CodingKey {
    /// The index of an element; nil for a superclass.
    package let index: Int?
    package var stringValue: String { index.map { "\($0)" } ?? "super" }
    package var intValue: Int? { index ?? 0 }

    package init(_ index: Int?) {
        self.index = index
    }

    package init?(stringValue: String) { nil }

    package init?(intValue: Int) {
        index = intValue
    }
}
