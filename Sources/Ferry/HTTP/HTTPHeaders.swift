import FerrySession

/// Header fields in order, found without regard to case.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json", "X-Trace": "7"]
/// headers["accept"] = "text/html"       // replaces, keeping the place
/// headers.add("X-Trace", "8")           // a second field of the same name
/// headers["X-Trace"]                    // "7, 8"
/// ```
///
/// Names and values are checked when a request is made of them (``validate()``).
public struct HTTPHeaders: Sendable, Hashable {
    private var fields: [HTTPHeader]

    /// Creates a list without fields.
    public init() {
        fields = []
    }

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
    /// Setting replaces all fields of that name and keeps the first one's place; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            let found = values(for: name)
            return found.isEmpty ? nil : found.joined(separator: ", ")
        }
        set {
            if let newValue {
                set(name, newValue)
            } else {
                remove(name)
            }
        }
    }

    /// The values of all fields of that name, in order.
    public func values(for name: String) -> [String] {
        fields.filter { field in field.isNamed(name) }.map(\.value)
    }

    /// Whether there is a field of that name.
    public func contains(_ name: String) -> Bool {
        fields.contains { field in field.isNamed(name) }
    }

    /// Appends a field, whether or not there is one of that name.
    public mutating func add(_ name: String, _ value: String) {
        add(HTTPHeader(name, value))
    }

    /// Appends a field, whether or not there is one of that name.
    public mutating func add(_ field: HTTPHeader) {
        fields.append(field)
    }

    /// Replaces all fields of that name by one, in the place of the first, or appends it.
    public mutating func set(_ name: String, _ value: String) {
        set(HTTPHeader(name, value))
    }

    /// Replaces all fields of that name by one, in the place of the first, or appends it.
    public mutating func set(_ field: HTTPHeader) {
        let place = fields.firstIndex { old in old.isNamed(field.name) } ?? fields.count
        fields.removeAll { old in old.isNamed(field.name) }
        fields.insert(field, at: place)
    }

    /// Removes all fields of that name.
    public mutating func remove(_ name: String) {
        fields.removeAll { field in field.isNamed(name) }
    }

    /// One field for each name, duplicates joined with `", "`, in the order of their first ones.
    func combined() -> [HTTPHeader] {
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
        for field in fields {
            try field.validate()
        }
    }
}

extension HTTPHeaders: Sequence {
    /// The number of fields, duplicates counted.
    public var count: Int { fields.count }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// Iterates over the fields in order.
    public func makeIterator() -> IndexingIterator<[HTTPHeader]> {
        fields.makeIterator()
    }
}
