import FerrySession

/// Any value JSON can express.
///
/// Values are reached by key and by index, and what is not there is nil:
///
/// ```swift
/// let name = json.user?.name?.string
/// let first = json["items"]?[0]?["price"]?.number?.decimalValue
/// ```
///
/// They are written as literals:
///
/// ```swift
/// let body: JSONValue = ["name": "Ada", "tags": ["a", "b"], "age": 36, "email": .null]
/// ```
///
/// There is no `nil` literal for ``null``: `JSONValue?` would silently take it for a value.
@dynamicMemberLookup
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number.
    case number(JSONNumber)
    /// A text.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Values by name.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The value under a name, if this is an object that has it.
    ///
    /// Assigning makes an object of a `null`, takes a name out with nil, and changes no value of another kind.
    ///
    /// - Parameter key: The name.
    public subscript(key: String) -> JSONValue? {
        get { object?[key] }
        set {
            guard case .object(var members) = self == .null ? .object([:]) : self else { return }
            // The old storage is let go first, so that the dictionary is changed in place.
            self = .null
            members[key] = newValue
            self = .object(members)
        }
    }

    /// The value at a place, if this is an array that has it.
    ///
    /// Assigning replaces an element that exists and does nothing else.
    ///
    /// - Parameter index: The place, from 0.
    public subscript(index: Int) -> JSONValue? {
        get {
            guard let array, array.indices.contains(index) else { return nil }
            return array[index]
        }
        set {
            guard let newValue, case .array(var elements) = self, elements.indices.contains(index) else { return }
            self = .null
            elements[index] = newValue
            self = .array(elements)
        }
    }

    /// The value under a name, if this is an object that has it.
    ///
    /// - Parameter key: The name; one that is also a property of `JSONValue`, such as `count`, needs `["count"]`.
    public subscript(dynamicMember key: String) -> JSONValue? {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The truth value, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number, if this is one.
    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// The number as an `Int`, if this is a number without a fraction that fits.
    public var int: Int? { number?.integer() }

    /// The number as a `Double`, if this is a number.
    public var double: Double? { number?.doubleValue }

    /// The text, if this is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The elements, if this is an array.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members, if this is an object.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
}
