import FerrySession

/// Keeps values in memory, and lets those go that were used longest ago when there are too many.
///
/// Beyond ``memoryCapacity`` it purges until no more than ``preferredMemoryUsageAfterPurge`` is left, so that it need not
/// purge again with the next value. Reading a value counts as use. There is no warning of scarce memory on Linux: call
/// ``removeAll()`` where you know of it. It may be used from any thread.
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

        mutating func remove(_ identifier: String) -> Bool {
            guard let entry = entries.removeValue(forKey: identifier) else { return false }
            usage -= entry.cost
            return true
        }
    }

    /// How much may be kept, in the unit of the costs: bytes, as a rule.
    public let memoryCapacity: Int

    /// How much is left after a purge, at most the capacity.
    public let preferredMemoryUsageAfterPurge: Int

    private let cost: @Sendable (Value) -> Int
    private let state = Locked(State())

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - memoryCapacity: How much may be kept; 100 MiB by default.
    ///   - preferredMemoryUsageAfterPurge: How much is left after a purge; 60 MiB by default.
    ///   - cost: How much a value takes, such as its bytes once it is decoded; it is asked once for each value.
    public init(
        memoryCapacity: Int = 100 << 20,
        preferredMemoryUsageAfterPurge: Int = 60 << 20,
        cost: @escaping @Sendable (Value) -> Int
    ) {
        self.memoryCapacity = max(0, memoryCapacity)
        self.preferredMemoryUsageAfterPurge = min(max(0, preferredMemoryUsageAfterPurge), self.memoryCapacity)
        self.cost = cost
    }

    /// How much is kept now.
    public var memoryUsage: Int { state.withLock { $0.usage } }

    /// Keeps a value, in the place of an earlier one with the same identifier.
    ///
    /// A value that alone exceeds the capacity is not kept.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - identifier: What it is known by.
    public func add(_ value: Value, withIdentifier identifier: String) {
        let largest = Int.max / 4
        let cost = min(max(0, cost(value)), largest)
        let (capacity, preferred) = (min(memoryCapacity, largest), preferredMemoryUsageAfterPurge)
        state.withLock { state in
            _ = state.remove(identifier)
            guard cost <= capacity else { return }
            state.entries[identifier] = Entry(value: value, cost: cost, lastUse: state.nextUse())
            state.usage += cost
            guard state.usage > capacity else { return }
            for (identifier, _) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
                guard state.usage > preferred else { return }
                _ = state.remove(identifier)
            }
        }
    }

    /// Removes a value.
    ///
    /// - Parameter identifier: What it is known by.
    /// - Returns: Whether there was one.
    @discardableResult
    public func removeValue(withIdentifier identifier: String) -> Bool {
        state.withLock { $0.remove(identifier) }
    }

    /// Removes all values.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func removeAll() -> Bool {
        state.withLock { state in
            defer { (state.entries, state.usage) = ([:], 0) }
            return !state.entries.isEmpty
        }
    }

    /// The value with an identifier, which is used thereby.
    ///
    /// - Parameter identifier: What it is known by.
    /// - Returns: The value, or nil.
    public func value(withIdentifier identifier: String) -> Value? {
        state.withLock { state in
            let use = state.nextUse()
            state.entries[identifier]?.lastUse = use
            return state.entries[identifier]?.value
        }
    }
}

extension AutoPurgingCache<Data> {
    /// Makes a cache of bytes.
    ///
    /// - Parameters:
    ///   - memoryCapacity: How many bytes may be kept; 100 MiB by default.
    ///   - preferredMemoryUsageAfterPurge: How many bytes are left after a purge; 60 MiB by default.
    public convenience init(memoryCapacity: Int = 100 << 20, preferredMemoryUsageAfterPurge: Int = 60 << 20) {
        self.init(
            memoryCapacity: memoryCapacity,
            preferredMemoryUsageAfterPurge: preferredMemoryUsageAfterPurge,
            cost: \.count
        )
    }
}
