/// The responses kept in memory, protected by the cache's lock.
package struct CacheMemory {
    private struct Item {
        package var entry: CacheEntry
        package var cost: Int
        package var used: UInt64
    }

    /// The responses of one key, by the values of the fields that select them.
    private struct Slot {
        package var names: [String]
        package var variants: [String: Item] = [:]
    }

    package let capacity: Int
    private var slots: [String: Slot] = [:]
    private var clock: UInt64 = 0
    package private(set) var total = 0
    /// The number of removals; a response read from disk before a removal must not be inserted after it.
    ///
    /// A response that is not kept, because it is too large or others need its place, counts as removed.
    package private(set) var removals = 0
    /// The removals on request, in memory and on disk.
    package var requestedRemovals = CacheRemovals()

    package init(capacity: Int) { self.capacity = capacity }

    /// The size of the largest response that is stored.
    package var largest: Int { capacity / HTTPCache.minimumResponses }

    package mutating func find(_ key: String, lines: [String]) -> CacheEntry? {
        guard let slot = slots[key] else { return nil }
        let variant = CacheKey.variant(slot.names, lines: lines)
        guard let item = slot.variants[variant] else { return nil }
        clock += 1
        slots[key]?.variants[variant]?.used = clock
        return item.entry
    }

    /// Whether a response that was found has neither been removed nor replaced.
    package func contains(_ entry: CacheEntry) -> Bool {
        slots[entry.stored.key]?.variants[entry.stored.variant]?.entry === entry
    }

    /// Returns the response with the same key and variant as another one.
    package func present(_ stored: StoredResponse) -> StoredResponse? {
        // The text of a variant contains the selecting names.
        slots[stored.key]?.variants[stored.variant]?.entry.stored
    }

    /// Inserts a response; if it is too large, it only removes the previous one, and is not kept.
    package mutating func insert(_ entry: CacheEntry, bodySize: Int) {
        let stored = entry.stored
        let cost = stored.cost + bodySize
        removeVariant(stored)
        if slots[stored.key]?.names != stored.selectingNames { removeSlot(stored.key) }
        guard cost <= largest else {
            removals += 1
            return
        }
        clock += 1
        let item = Item(entry: entry, cost: cost, used: clock)
        slots[stored.key, default: Slot(names: stored.selectingNames)].variants[stored.variant] = item
        total += cost
        if total > capacity { evict() }
    }

    /// Inserts a response that was read from disk, unless one has been stored for the key and variant since.
    package mutating func insertFound(_ entry: CacheEntry, bodySize: Int) {
        let stored = entry.stored
        if let slot = slots[stored.key] {
            guard slot.names == stored.selectingNames, slot.variants[stored.variant] == nil else { return }
        }
        guard stored.cost + bodySize <= largest else { return }
        insert(entry, bodySize: bodySize)
    }

    package mutating func remove(_ key: String) {
        removals += 1
        removeSlot(key)
    }

    package mutating func removeAll() {
        removals += 1
        (slots, total) = ([:], 0)
    }

    private mutating func removeSlot(_ key: String) {
        guard let slot = slots.removeValue(forKey: key) else { return }
        total -= slot.variants.values.reduce(0) { $0 + $1.cost }
    }

    private mutating func removeVariant(_ stored: StoredResponse) {
        guard let item = slots[stored.key]?.variants.removeValue(forKey: stored.variant) else { return }
        total -= item.cost
        if slots[stored.key]?.variants.isEmpty == true { slots[stored.key] = nil }
    }

    /// Removes the least recently used responses, and an eighth of the capacity more than necessary, so that not every
    /// new response triggers an eviction.
    private mutating func evict() {
        removals += 1
        let all = slots.values.flatMap(\.variants.values).sorted { $0.used < $1.used }
        for item in all {
            guard total > capacity - capacity / 8 else { return }
            removeVariant(item.entry.stored)
        }
    }
}
