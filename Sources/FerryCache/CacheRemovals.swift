/// Counts removals of stored responses, so that a response to a request from before one is not stored after it.
package struct CacheRemovals {
    /// The number of keys whose removals are known one by one.
    package static let maximumKeys = 1000

    /// The number of removals so far; a request takes it before it is sent.
    package private(set) var count = 0
    /// The count after the last removal that concerns every key.
    private var ofAll = 0
    /// The count after the last removal of a key, by the key's hash.
    ///
    /// Keys are as long as URLs, and equal hashes only keep a response from being stored.
    private var ofKeys: [Int: Int] = [:]

    package mutating func noteAll() {
        count += 1
        ofAll = count
        ofKeys = [:]
    }

    /// Notes the removal of a key; of all keys if there have been too many.
    package mutating func note(_ key: String) {
        guard ofKeys.count < Self.maximumKeys else { return noteAll() }
        count += 1
        ofKeys[key.hashValue] = count
    }

    /// Returns whether a key has been removed since there were `count` removals.
    package func contains(_ key: String, since count: Int) -> Bool {
        guard self.count > count else { return false }
        return max(ofAll, ofKeys[key.hashValue] ?? 0) > count
    }
}
