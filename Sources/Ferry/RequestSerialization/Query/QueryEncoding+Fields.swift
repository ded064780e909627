import Foundation

extension QueryEncoding {
    /// Returns the fields of a value in the order they are sent, with nested keys flattened into `a[b][]`.
    func fields(of value: ParameterValue) throws -> [QueryField] {
        var fields: [QueryField] = []
        switch value {
        case .array, .set:
            let reason = "An array or a set without a key cannot be encoded as a query."
            throw RequestSerializationError(.invalidParameters, reason: reason)
        case .dictionary:
            try append(value, key: nil, to: &fields)
        default:
            try append(value, key: "", to: &fields)
        }
        return fields
    }

    /// Returns the elements of a set in the order they are written, which is the order of their texts.
    func sorted(_ set: [ParameterValue]) -> [ParameterValue] {
        set.map { value in (text: sortText(of: value), value: value) }
            .sorted { lhs, rhs in Self.precedes(lhs.text, rhs.text) }
            .map(\.value)
    }

    private func append(_ value: ParameterValue, key: String?, to fields: inout [QueryField]) throws {
        switch value {
        case .dictionary(let children):
            for child in children.sorted(by: { lhs, rhs in Self.precedes(lhs.key, rhs.key) }) {
                try append(child.value, key: key.map { key in "\(key)[\(child.key)]" } ?? child.key, to: &fields)
            }
        case .array(let children):
            try append(children, key: key ?? "", to: &fields)
        case .set(let children) where arrays == .commaJoined:
            try append(sorted(children), key: key ?? "", to: &fields)
        case .set(let children):
            for child in sorted(children) {
                try append(child, key: key, to: &fields)
            }
        default:
            guard let leaf = leaf(value) else { return }
            fields.append(QueryField(key: key ?? "", value: leaf))
        }
    }

    private func append(_ children: [ParameterValue], key: String, to fields: inout [QueryField]) throws {
        guard arrays != .commaJoined else {
            if let field = try joined(children, key: key) {
                fields.append(field)
            }
            return
        }
        for (index, child) in children.enumerated() {
            let childKey =
                switch arrays {
                case .brackets: "\(key)[]"
                case .indexed: "\(key)[\(index)]"
                case .repeated, .commaJoined: key
                }
            try append(child, key: childKey, to: &fields)
        }
    }

    private func joined(_ children: [ParameterValue], key: String) throws -> QueryField? {
        guard !children.contains(where: \.isCollection) else {
            let reason = "The array at “\(key)” contains collections and cannot be joined with commas."
            throw RequestSerializationError(.invalidParameters, reason: reason)
        }
        let present = nulls == .omitted ? children.filter { child in child != .null } : children
        guard !present.isEmpty else { return nil }
        let texts = present.map { child in
            leaf(child).flatMap { leaf in QueryField(key: key, value: leaf).texts }?.first ?? ""
        }
        return QueryField(key: key, value: .joined(texts))
    }
}
