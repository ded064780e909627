import FerrySession

/// A value a request parameter can have.
///
/// Literals make one: `["name": "Ada", "tags": ["x", "y"], "age": 36, "left": nil] as ParameterValue`.
public enum ParameterValue: Sendable, Hashable {
    /// Nothing: `null` in JSON, a key without `=` in a query.
    case null
    /// A truth value: `1` or `0` in a query.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A whole number, for those above `Int64.max`.
    case unsignedInteger(UInt64)
    /// A binary floating-point number.
    case double(Double)
    /// A decimal number.
    case decimal(Decimal)
    /// A text.
    case string(String)
    /// A point in time.
    case date(Date)
    /// Bytes: raw in a multipart part, base64 elsewhere.
    case data(Data)
    /// Values in order.
    indirect case array([ParameterValue])
    /// Values without order: written sorted, and in a query under a key without brackets.
    indirect case set([ParameterValue])
    /// Values by key: written sorted by key.
    indirect case dictionary([String: ParameterValue])
}

extension ParameterValue {
    /// Whether the value is an array, a set or a dictionary.
    var isCollection: Bool {
        switch self {
        case .array, .set, .dictionary: true
        default: false
        }
    }

    /// The number, in the shortest text that reads back as the same one; `1`, not `1.0`, as in AFNetworking.
    static func text(of number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The number as the double a person would write for it: 0.1 for the float 0.1.
    static func float(_ number: some BinaryFloatingPoint) -> ParameterValue {
        if let double = number as? Double {
            return .double(double)
        }
        return .double(Double("\(number)") ?? Double(number))
    }

    /// The number in the narrowest case that holds it, or `nil` if it takes more than 64 bits.
    static func whole(_ number: some BinaryInteger) -> ParameterValue? {
        if let signed = Int64(exactly: number) {
            return .integer(signed)
        }
        return UInt64(exactly: number).map(ParameterValue.unsignedInteger)
    }
}
