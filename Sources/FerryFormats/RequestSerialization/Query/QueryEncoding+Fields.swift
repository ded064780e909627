extension QueryEncoding {
    /// Returns the fields of a value in the order they are sent, with nested keys flattened into `a[b][]`.
    package func fields(of value: ParameterValue) throws -> [QueryField] {
        var fields: [QueryField] = []
        switch value {
        case .array, .set:
            let reason = "An array or a set without a key cannot be encoded as a query."
            throw RequestSerializationError(.invalidParameters, reason: reason)
        default:
            try append(value, key: nil, to: &fields)
        }
        return fields
    }

    /// Returns the elements of a set in the order they are written, which is the order of their texts.
    ///
    /// Different elements may have the same text, such as null and an empty string. Their order is that of their JSON,
    /// so that equal sets are written in the same way.
    package func sorted(_ set: [ParameterValue]) -> [ParameterValue] {
        let elements = set.map { ($0.isCollection ? (try? encode(["": $0])) ?? "" : text(of: $0), $0) }
        let sorted = elements.sorted { lhs, rhs in
            if Self.precedes(lhs.0, rhs.0) { return true }
            if Self.precedes(rhs.0, lhs.0) { return false }
            return Self.precedes(lhs.1.json, rhs.1.json)
        }
        return sorted.map(\.1)
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
            try check(value)
            guard let leaf = leaf(value) else { return }
            fields.append(QueryField(key: key ?? "", value: leaf))
        }
    }

    private func append(_ children: [ParameterValue], key: String, to fields: inout [QueryField]) throws {
        guard arrays != .commaJoined else {
            if let field = try joined(children, key: key) { fields.append(field) }
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
        for child in present { try check(child) }
        return QueryField(key: key, value: .joined(present.map(text(of:))))
    }

    /// Throws an error for a date that the format cannot express: RFC 3339 has the years from 0001 to 9999.
    private func check(_ value: ParameterValue) throws {
        guard case .date(let date) = value, dates == .iso8601 else { return }
        guard (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970) else {
            let reason = "A date outside the years from 0001 to 9999 cannot be encoded: \(date.timeIntervalSince1970)."
            throw RequestSerializationError(.invalidParameters, reason: reason)
        }
    }

    /// Returns the field value for a value that is not a collection, or `nil` if the value is omitted.
    private func leaf(_ value: ParameterValue) -> QueryField.Value? {
        switch value {
        case .null:
            switch nulls {
            case .keyOnly: QueryField.Value.none
            case .emptyValue: .text("")
            case .omitted: nil
            }
        case .bool(let value):
            switch booleans {
            case .numeric: .text(value ? "1" : "0")
            case .literal: .text(value ? "true" : "false")
            }
        case .integer(let value): .text("\(value)")
        case .unsignedInteger(let value): .text("\(value)")
        case .double(let value): .text(ParameterValue.text(of: value))
        case .decimal(let value): .text("\(value)")
        case .string(let value): .text(value)
        case .date(let value): .text(text(of: value))
        case .data(let value): .data(value)
        case .array, .set, .dictionary: nil
        }
    }

    /// Returns the text of a value that is not a collection; empty if the value is omitted.
    private func text(of value: ParameterValue) -> String { leaf(value)?.texts?.first ?? "" }

    /// Returns whether one key sorts before another, comparing UTF-16 units as AFNetworking's literal comparison does.
    private static func precedes(_ lhs: String, _ rhs: String) -> Bool {
        lhs.utf16.lexicographicallyPrecedes(rhs.utf16)
    }

    private func text(of date: Date) -> String {
        switch dates {
        case .iso8601: date.formatted(.iso8601)
        case .secondsSince1970: ParameterValue.text(of: date.timeIntervalSince1970)
        case .millisecondsSince1970: ParameterValue.text(of: (date.timeIntervalSince1970 * 1000).rounded())
        }
    }
}

extension ParameterValue {
    /// The value as JSON with sorted keys; empty if JSON does not have the value.
    fileprivate var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// A key and its value, not yet percent-encoded.
package struct QueryField {
    /// The value: a text, bytes, several texts to join with commas, or none (the key without `=`).
    package enum Value {
        case none
        case text(String)
        case data(Data)
        case joined([String])

        /// The texts to join with commas, or `nil` if there is no value; bytes are base64-encoded.
        package var texts: [String]? {
            switch self {
            case .none: nil
            case .text(let text): [text]
            case .data(let data): [data.base64EncodedString()]
            case .joined(let texts): texts
            }
        }
    }

    package let key: String
    package let value: Value
}
