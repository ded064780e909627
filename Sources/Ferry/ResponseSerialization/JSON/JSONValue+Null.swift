import Foundation

extension JSONValue {
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
