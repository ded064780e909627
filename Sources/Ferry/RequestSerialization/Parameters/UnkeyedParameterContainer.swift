/// The encoding container for an array.
struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
    let encoder: ParameterNodeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    func encodeNil() {
        encoder.node.append(ParameterNode(.leaf(.null)))
    }

    func encode(_ value: some Encodable) throws {
        encoder.node.append(try encoder.encoder.node(for: value, codingPath: codingPath + [IndexKey(count)]))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        child().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        child().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        child()
    }

    private func child() -> ParameterNodeEncoder {
        let child = encoder.child(IndexKey(count))
        encoder.node.append(child.node)
        return child
    }
}

/// The coding key of an array element: its index.
private struct IndexKey: CodingKey {
    let index: Int
    var stringValue: String { "\(index)" }
    var intValue: Int? { index }

    init(_ index: Int) {
        self.index = index
    }

    init?(stringValue: String) {
        guard let index = Int(stringValue) else { return nil }
        self.index = index
    }

    init?(intValue: Int) {
        index = intValue
    }
}
