extension ParameterValue {
    /// Creates a parameter value from a value of another type.
    ///
    /// The supported types are ``ParameterValue``, ``Parameters``, strings, Booleans, numbers, `Date`, `Data`, `URL`,
    /// `UUID`, `NSNull`, any type that conforms to `Encodable` or `LosslessStringConvertible`, and optionals, arrays,
    /// sets and dictionaries of these.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidParameters`` for a type
    ///   that is not supported, or for more than 512 levels, or the error that a value's `encode(to:)` throws.
    public init<Value>(converting value: Value) throws {
        self = try Self.converted(value, path: [])
    }

    private static func converted(_ value: Any, path: [String]) throws -> ParameterValue {
        guard path.count <= JSONParser.maximumDepth else {
            throw invalid("Parameters cannot have more than \(JSONParser.maximumDepth) levels.")
        }
        if let wrapper = value as? any OptionalValue {
            return try wrapper.wrappedValue.map { wrapped in try converted(wrapped, path: path) } ?? .null
        }
        if let parameters = value as? Parameters { return try parameters.value() }
        if let leaf = foundationNumber(value) ?? ParameterEncoder.leaf(value) { return leaf }
        if let collection = try collection(value, path: path) { return collection }
        if let encodable = value as? any Encodable { return try ParameterEncoder().encode(encodable) }
        if let text = value as? any LosslessStringConvertible { return .string(text.description) }
        let place = path.isEmpty ? "" : " at “\(path.map { "[\($0)]" }.joined())”"
        throw invalid("A value of type \(type(of: value))\(place) cannot be a parameter.")
    }

    private static func invalid(_ reason: String) -> RequestSerializationError {
        RequestSerializationError(.invalidParameters, reason: reason)
    }

    private static func collection(_ value: Any, path: [String]) throws -> ParameterValue? {
        if let dictionary = value as? [AnyHashable: Any] {
            var converted: [String: ParameterValue] = [:]
            for (key, child) in dictionary {
                let name = "\(key.base)"
                converted[name] = try Self.converted(child, path: path + [name])
            }
            return .dictionary(converted)
        }
        // Keep sets apart from arrays: in an array, their arbitrary order would look intended.
        // Foundation on Linux makes an empty set of a counted one.
        if let set = value as? NSCountedSet {
            return .set(try set.allObjects.map { child in try converted(child, path: path + [""]) })
        }
        if let set = value as? Set<AnyHashable> {
            return .set(try set.map { child in try converted(child.base, path: path + [""]) })
        }
        guard let array = value as? [Any] else { return nil }
        return .array(try array.map { child in try converted(child, path: path + [""]) })
    }

    /// Returns the value of an `NSNumber` or `NSNull`, and `nil` for other types, including Swift's numbers.
    private static func foundationNumber(_ value: Any) -> ParameterValue? {
        guard type(of: value) is AnyClass else { return nil }
        if value is NSNull { return .null }
        guard let number = value as? NSNumber else { return nil }
        if let decimal = value as? NSDecimalNumber { return .decimal(decimal.decimalValue) }
        // Booleans have the same type code as eight-bit numbers and differ only in their class.
        if "\(type(of: value))".contains("Boolean") { return .bool(number.boolValue) }
        switch String(cString: number.objCType) {
        case "f": return float(number.floatValue)
        case "d": return .double(number.doubleValue)
        case "Q": return whole(number.uint64Value)
        default: return .integer(number.int64Value)
        }
    }
}

/// Accesses the value of an optional inside an `Any`.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { map { value in value } }
}
