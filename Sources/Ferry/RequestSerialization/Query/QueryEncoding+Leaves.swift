import Foundation

extension QueryEncoding {
    /// Returns the field value for a value that is not a collection, or `nil` if the value is omitted.
    func leaf(_ value: ParameterValue) -> QueryField.Value? {
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

    /// Returns the text by which an element of a set is sorted.
    func sortText(of value: ParameterValue) -> String {
        guard value.isCollection else {
            return leaf(value).flatMap { leaf in QueryField(key: "", value: leaf).texts }?.first ?? ""
        }
        return (try? encode(.dictionary(["": value]))) ?? ""
    }

    /// Returns whether one key sorts before another, comparing UTF-16 units as AFNetworking's literal comparison does.
    static func precedes(_ lhs: String, _ rhs: String) -> Bool {
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
