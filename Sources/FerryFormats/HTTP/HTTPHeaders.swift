/// A list of header fields in order, whose names are compared without regard to case.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json", "X-Trace": "7"]
/// headers["accept"] = "text/html"       // replaces the value, keeps its position
/// headers.add("X-Trace", "8")           // a second field of the same name
/// headers["X-Trace"]                    // "7, 8"
/// ```
///
/// Names and values are checked when a request is made with them; see ``validate()``.
public struct HTTPHeaders: Sendable, Hashable {
    private var fields: [HTTPHeader] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of the given fields, keeping order and duplicates.
    public init(_ fields: some Sequence<HTTPHeader>) {
        self.fields = Array(fields)
    }

    /// Creates a list from a dictionary, sorted by name so that the order is always the same.
    public init(_ dictionary: [String: String]) {
        fields = dictionary.sorted { lhs, rhs in lhs.key < rhs.key }.map { pair in HTTPHeader(pair.key, pair.value) }
    }

    /// The value of a field; duplicates are joined with `", "` (RFC 9110, section 5.2).
    ///
    /// Setting a value replaces all fields with the name, at the position of the first; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            let found = values(for: name)
            return found.isEmpty ? nil : found.joined(separator: ", ")
        }
        set {
            if let newValue { set(name, newValue) } else { remove(name) }
        }
    }

    /// Returns the values of all fields with the given name, in order.
    public func values(for name: String) -> [String] { fields.filter { field in field.isNamed(name) }.map(\.value) }

    /// Returns a Boolean value that indicates whether there is a field with the given name.
    public func contains(_ name: String) -> Bool { fields.contains { field in field.isNamed(name) } }

    /// Appends a field, even if there already is one with its name.
    public mutating func add(_ name: String, _ value: String) { add(HTTPHeader(name, value)) }

    /// Appends a field, even if there already is one with its name.
    public mutating func add(_ field: HTTPHeader) { fields.append(field) }

    /// Replaces all fields with the given name by one, at the position of the first; appends it if there are none.
    public mutating func set(_ name: String, _ value: String) { set(HTTPHeader(name, value)) }

    /// Replaces all fields of the same name by one, at the position of the first; appends it if there are none.
    public mutating func set(_ field: HTTPHeader) {
        let place = fields.firstIndex { old in old.isNamed(field.name) } ?? fields.count
        fields.removeAll { old in old.isNamed(field.name) }
        fields.insert(field, at: place)
    }

    /// Removes all fields with the given name.
    public mutating func remove(_ name: String) { fields.removeAll { field in field.isNamed(name) } }

    /// Returns one field for each name, duplicates joined with `", "`, in the order of their first occurrence.
    package func combined() -> [HTTPHeader] {
        var combined: [HTTPHeader] = []
        for field in fields {
            if let place = combined.firstIndex(where: { other in other.isNamed(field.name) }) {
                combined[place] = HTTPHeader(combined[place].name, "\(combined[place].value), \(field.value)")
            } else {
                combined.append(field)
            }
        }
        return combined
    }

    /// Checks every field.
    ///
    /// - Throws: ``RequestSerializationError`` for the first invalid name or value.
    public func validate() throws {
        for field in fields { try field.validate() }
    }
}

extension HTTPHeaders: Sequence {
    /// The number of fields, including duplicates.
    public var count: Int { fields.count }

    /// A Boolean value that indicates whether the list is empty.
    public var isEmpty: Bool { fields.isEmpty }

    /// Returns an iterator over the fields in order.
    public func makeIterator() -> IndexingIterator<[HTTPHeader]> { fields.makeIterator() }

    /// Returns a list of one `Authorization` field for the Basic scheme, in UTF-8 (RFC 7617).
    public static func basic(username: String, password: String) -> HTTPHeaders {
        [.basic(username: username, password: password)]
    }

    /// Returns a list of one `Authorization` field for the Bearer scheme (RFC 6750).
    public static func bearer(_ token: String) -> HTTPHeaders { [.bearer(token)] }

    /// Sets the `Authorization` field for the Basic scheme.
    ///
    /// AFNetworking: `setAuthorizationHeaderFieldWithUsername:password:`.
    public mutating func setAuthorization(username: String, password: String) {
        set(.basic(username: username, password: password))
    }

    /// Sets the `Authorization` field for the Bearer scheme.
    public mutating func setAuthorization(bearerToken: String) { set(.bearer(bearerToken)) }

    /// Removes the `Authorization` field.
    ///
    /// AFNetworking: `clearAuthorizationHeader`.
    public mutating func clearAuthorization() { remove("Authorization") }
}

extension HTTPHeaders: Codable {
    /// Decodes the fields in order; throws if a name is not a token, or a value contains a line break or a NUL.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let fields = try container.decode([HTTPHeader].self)
        guard fields.allSatisfy({ HeaderRule.isToken($0.name) && HeaderRule.isValue($0.value) }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "A header field is malformed")
        }
        self.init(fields)
    }

    /// Encodes the fields in order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Array(self))
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a list from a literal such as `["Accept": "text/html"]`, keeping order and duplicates.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { name, value in HTTPHeader(name, value) })
    }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// Creates a list from a literal such as `[.accept("text/html"), .bearer(token)]`.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }
}

extension HTTPHeaders: CustomStringConvertible {
    /// The fields as lines of text, without secret values.
    public var description: String { map(\.description).joined(separator: "\n") }
}
