/// A JSON value.
///
/// Values are accessed by key and by index; a missing one is nil:
///
/// ```swift
/// let name = json.user?.name?.string
/// let first = json["items"]?[0]?["price"]?.number?.decimalValue
/// ```
///
/// Values are written as literals:
///
/// ```swift
/// let body: JSONValue = [
///     "name": "Ada", "tags": ["a", "b"], "age": 36, "email": .null,
/// ]
/// ```
///
/// There is no `nil` literal for ``null``: where a `JSONValue?` is expected, its meaning would be ambiguous.
@dynamicMemberLookup
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A number.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array of values.
    case array([JSONValue])
    /// An object: values by name.
    case object([String: JSONValue])

    /// Accesses the value for a name; nil if this is not an object or does not contain it.
    ///
    /// Assigning to a `null` makes it an object, and assigning nil removes the member. A value of any other kind is not
    /// changed.
    ///
    /// - Parameter key: The name.
    public subscript(key: String) -> JSONValue? {
        get { object?[key] }
        set {
            guard case .object(var members) = self == .null ? .object([:]) : self else { return }
            // The old storage is released first, so that the dictionary is changed in place.
            self = .null
            members[key] = newValue
            self = .object(members)
        }
    }

    /// Accesses the value at an index; nil if this is not an array or the index is out of range.
    ///
    /// Assigning replaces an existing element; otherwise it has no effect.
    ///
    /// - Parameter index: The index, starting at 0.
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

    /// Accesses the value for a name; nil if this is not an object or does not contain it.
    ///
    /// - Parameter key: The name; for one that is also a property of `JSONValue`, such as `count`, write `["count"]`.
    public subscript(dynamicMember key: String) -> JSONValue? {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// A Boolean value that indicates whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The Boolean value, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number, if this is one.
    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// The number as an `Int`, if this is a number without a fraction and in range.
    public var int: Int? { number?.integer() }

    /// The number as a `Double`, if this is a number.
    public var double: Double? { number?.doubleValue }

    /// The string, if this is one.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The elements, if this is an array.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members, if this is an object.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The containers from which `null` is removed.
    public enum NullRemoval: String, Sendable, Hashable, Codable {
        /// None.
        case none
        /// Objects: members that are `null` are removed, but array elements are kept, so that their indices stay the
        /// same.
        case dictionaries
        /// Objects and arrays.
        case dictionariesAndArrays
    }

    /// Returns the value without any `null` inside it, at any depth; a value that is itself `null` is returned as it
    /// is.
    ///
    /// AFNetworking: `AFJSONObjectByRemovingKeysWithNullValues`.
    ///
    /// - Parameter removal: The containers from which `null` is removed; by default objects and arrays, as in
    ///   AFNetworking 4.
    /// - Returns: The value without `null` in those containers.
    public func removingNullValues(_ removal: NullRemoval = .dictionariesAndArrays) -> JSONValue {
        switch (removal, self) {
        case (.none, _): self
        case (_, .object(let members)):
            .object(members.filter { !$1.isNull }.mapValues { $0.removingNullValues(removal) })
        case (.dictionaries, .array(let elements)): .array(elements.map { $0.removingNullValues(removal) })
        case (.dictionariesAndArrays, .array(let elements)):
            .array(elements.filter { !$0.isNull }.map { $0.removingNullValues(removal) })
        default: self
        }
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Creates a number.
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// Creates a number; `null` from a literal too large for a `Double`.
    public init(floatLiteral value: Double) { self.init(value) }
}

extension JSONValue: ExpressibleByStringInterpolation {
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object; of members with the same name, the last one is kept.
    public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(Dictionary(members) { $1 }) }

    /// Creates a number.
    public init(_ value: some BinaryInteger) { self = .number(JSONNumber(value)) }

    /// Creates a number, or `null` from infinity and NaN, which JSON does not have.
    public init(_ value: Double) { self = JSONNumber(value).map(JSONValue.number) ?? .null }

    /// Creates a number, or `null` from NaN, which JSON does not have.
    public init(_ value: Decimal) { self = JSONNumber(value).map(JSONValue.number) ?? .null }

    /// Creates a string.
    public init(_ value: String) { self = .string(value) }

    /// Creates a Boolean value.
    public init(_ value: Bool) { self = .bool(value) }
}
