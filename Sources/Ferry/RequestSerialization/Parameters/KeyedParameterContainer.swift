/// The encoding container for a keyed type.
struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterNodeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) {
        encoder.node.set(ParameterNode(.leaf(.null)), for: key.stringValue)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        let node = try encoder.encoder.node(for: value, codingPath: codingPath + [key])
        encoder.node.set(node, for: key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        child(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        child(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        child(SuperKey())
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        child(key)
    }

    private func child(_ key: any CodingKey) -> ParameterNodeEncoder {
        let child = encoder.child(key)
        encoder.node.set(child.node, for: key.stringValue)
        return child
    }
}

/// The key under which a superclass is encoded, by Swift's convention.
private struct SuperKey: CodingKey {
    let stringValue = "super"
    let intValue: Int? = 0

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
