import FerrySession

extension JSONValue {
    /// Where `null` is taken out.
    public enum NullRemoval: String, Sendable, Hashable, Codable {
        /// Nowhere.
        case none
        /// From objects: members that are `null` go, array elements stay and keep their places.
        case dictionaries
        /// From objects and arrays.
        case dictionariesAndArrays
    }

    /// The same value without `null` inside it, at any depth; a value that is itself `null` stays.
    ///
    /// AFNetworking: `AFJSONObjectByRemovingKeysWithNullValues`.
    ///
    /// - Parameter removal: Where `null` is taken out; by default from objects and arrays, as AFNetworking 4 does it.
    /// - Returns: The value without them.
    public func removingNullValues(_ removal: NullRemoval = .dictionariesAndArrays) -> JSONValue {
        switch (removal, self) {
        case (.none, _):
            return self
        case (_, .object(let members)):
            return .object(members.filter { !$1.isNull }.mapValues { $0.removingNullValues(removal) })
        case (.dictionaries, .array(let elements)):
            return .array(elements.map { $0.removingNullValues(removal) })
        case (.dictionariesAndArrays, .array(let elements)):
            return .array(elements.filter { !$0.isNull }.map { $0.removingNullValues(removal) })
        default:
            return self
        }
    }
}
