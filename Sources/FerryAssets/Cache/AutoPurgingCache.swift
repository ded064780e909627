/// A memory cache that removes the least recently used values when its capacity is exceeded.
///
/// Beyond ``memoryCapacity`` it purges until at most ``preferredMemoryUsageAfterPurge`` is left, so that the next value
/// does not cause another purge. Reading a value counts as use. Linux has no memory warnings: call ``removeAll()`` when
/// memory becomes scarce. The cache may be used from any thread.
///
/// AFNetworking: `AFAutoPurgingImageCache`.
public final class AutoPurgingCache<Value: Sendable>: AssetRequestCache {
    private struct Entry: Sendable {
        let value: Value
        let cost: Int
        var lastUse: UInt64
    }

    private struct State: Sendable {
        var entries: [String: Entry] = [:]
        var usage = 0
        var uses: UInt64 = 0

        mutating func nextUse() -> UInt64 {
            uses += 1
            return uses
        }

        /// Removes an entry and returns it, so that its value is released without the lock.
        mutating func remove(_ identifier: String) -> Entry? {
            guard let entry = entries.removeValue(forKey: identifier) else { return nil }
            usage -= entry.cost
            return entry
        }
    }

    /// The largest total cost of the values, usually in bytes.
    public let memoryCapacity: Int

    /// The largest total cost after a purge, at most the capacity.
    public let preferredMemoryUsageAfterPurge: Int

    private let cost: @Sendable (Value) -> Int
    private let state = Mutex(State())

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: The largest total cost of the values; 100 MiB by default.
    ///   - preferredMemoryUsageAfterPurge: The largest total cost after a purge; 60 MiB by default.
    ///   - cost: Returns the cost of a value, such as its size in bytes when decoded; called once for each value.
    public init(
        memoryCapacity: Int = 100 << 20,
        preferredMemoryUsageAfterPurge: Int = 60 << 20,
        cost: @escaping @Sendable (Value) -> Int
    ) {
        self.memoryCapacity = max(0, memoryCapacity)
        self.preferredMemoryUsageAfterPurge = min(max(0, preferredMemoryUsageAfterPurge), self.memoryCapacity)
        self.cost = cost
    }

    /// The total cost of the cached values.
    public var memoryUsage: Int { state.withLock { $0.usage } }

    /// Adds a value, replacing an earlier one; one whose cost alone exceeds the capacity is not cached.
    public func add(_ value: Value, withIdentifier identifier: String) {
        let largest = Int.max / 4
        let cost = min(max(0, cost(value)), largest)
        let (capacity, preferred) = (min(memoryCapacity, largest), preferredMemoryUsageAfterPurge)
        let removed = state.withLock { state in
            var removed = [state.remove(identifier)]
            guard cost <= capacity else { return removed }
            state.entries[identifier] = Entry(value: value, cost: cost, lastUse: state.nextUse())
            state.usage += cost
            guard state.usage > capacity else { return removed }
            for (identifier, _) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
                guard state.usage > preferred else { break }
                removed.append(state.remove(identifier))
            }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Removes a value, and returns whether there was one.
    @discardableResult
    public func removeValue(withIdentifier identifier: String) -> Bool {
        state.withLock { $0.remove(identifier) } != nil
    }

    /// Removes all values, and returns whether there were any.
    @discardableResult
    public func removeAll() -> Bool {
        let removed = state.withLock { state in
            defer { (state.entries, state.usage) = ([:], 0) }
            return state.entries
        }
        return !removed.isEmpty
    }

    /// Returns the value with an identifier, or nil; this counts as use.
    public func value(withIdentifier identifier: String) -> Value? {
        state.withLock { state in
            let use = state.nextUse()
            state.entries[identifier]?.lastUse = use
            return state.entries[identifier]?.value
        }
    }
}

extension AutoPurgingCache<Data> {
    /// Creates a cache of data, where the cost of a value is its size in bytes.
    ///
    /// By default it holds at most 100 MiB, and 60 MiB after a purge.
    public convenience init(memoryCapacity: Int = 100 << 20, preferredMemoryUsageAfterPurge: Int = 60 << 20) {
        self.init(
            memoryCapacity: memoryCapacity,
            preferredMemoryUsageAfterPurge: preferredMemoryUsageAfterPurge,
            cost: \.count
        )
    }
}
