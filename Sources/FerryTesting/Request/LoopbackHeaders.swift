/// Header fields in the order in which they were or will be sent, including duplicates.
///
/// ```swift
/// var headers: LoopbackHeaders = [
///     "Content-Type": "text/plain", "Set-Cookie": "a=1", "Set-Cookie": "b=2",
/// ]
/// headers["content-type"]  // "text/plain"
/// headers.values(for: "set-cookie")  // ["a=1", "b=2"]
/// ```
public struct LoopbackHeaders: Sendable, Hashable {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The name as written.
        public var name: String

        /// The value without surrounding whitespace.
        public var value: String

        /// Creates a field line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All field lines in order.
    public var fields: [Field]

    /// Creates headers from field lines.
    public init(_ fields: [Field] = []) { self.fields = fields }

    /// Accesses the first value of a field, ignoring the case of its name; setting it replaces all lines of the field
    /// by one.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.isEqualIgnoringCase(name) }?.value }
        set {
            fields.removeAll { $0.name.isEqualIgnoringCase(name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Returns all values of a field in order, ignoring the case of its name.
    public func values(for name: String) -> [String] {
        fields.filter { $0.name.isEqualIgnoringCase(name) }.map(\.value)
    }

    /// Appends a line, and keeps existing ones with the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Returns whether a comma-separated field contains `token`, ignoring case.
    func contains(token: String, in name: String) -> Bool {
        values(for: name).contains { FieldParts.split($0, separator: ",").contains { $0.isEqualIgnoringCase(token) } }
    }
}

extension LoopbackHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from a literal; a name may appear more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension LoopbackHeaders: RandomAccessCollection {
    /// The position of the first field line.
    public var startIndex: Int { fields.startIndex }

    /// The position after the last field line.
    public var endIndex: Int { fields.endIndex }

    /// The field line at a position.
    public subscript(position: Int) -> Field { fields[position] }
}
