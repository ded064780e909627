/// The `Encoder` that fills one node.
struct ParameterNodeEncoder: Encoder {
    let node: ParameterNode
    let encoder: ParameterEncoder
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeKeyed()
        return KeyedEncodingContainer(KeyedParameterContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeUnkeyed()
        return UnkeyedParameterContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }

    /// Returns an encoder with a new node for the child at a key.
    func child(_ key: any CodingKey) -> ParameterNodeEncoder {
        ParameterNodeEncoder(node: ParameterNode(), encoder: encoder, codingPath: codingPath + [key])
    }
}

extension ParameterNodeEncoder: SingleValueEncodingContainer {
    func encodeNil() {
        node.replace(with: ParameterNode(.leaf(.null)))
    }

    func encode(_ value: some Encodable) throws {
        node.replace(with: try encoder.node(for: value, codingPath: codingPath))
    }
}
