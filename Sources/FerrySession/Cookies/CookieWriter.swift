/// The part of a cookie storage that `CookieWriter` uses; it must be thread-safe.
protocol CookieStoring: AnyObject {
    var cookies: [HTTPCookie]? { get }
    func setCookie(_ cookie: HTTPCookie)
    func deleteCookie(_ cookie: HTTPCookie)
}

extension HTTPCookieStorage: CookieStoring {}

/// Writes cookies to a storage without blocking the caller for long.
///
/// A storage that is kept on disk, as `HTTPCookieStorage.shared` is, writes its whole file for each cookie that is set
/// or deleted: with 500 cookies that takes 80 ms each time. Cookies are therefore written immediately only as long as
/// `budget` allows, which is enough for nearly every response. The rest is written on a queue, as are all cookies after
/// a write that took longer. `known` includes them even before they are written.
///
/// `@unchecked Sendable`: the storage is thread-safe, and the rest is constant or protected by a lock.
final class CookieWriter: @unchecked Sendable {
    private enum Operation {
        /// The storage has no cookie with the same key yet if it is new.
        case store(HTTPCookie, isNew: Bool)
        case remove(HTTPCookie)
    }

    private typealias Operations = ArraySlice<Operation>

    private struct State {
        /// The storage's cookies when they were last read.
        var stored = CookieIndex()
        /// The cookies as they will be once everything is written; `nil` while nothing is waiting.
        var snapshot: CookieIndex?
        /// The operations for after the current batch; a new cookie that is removed again is left out.
        var waiting: [CookieStoreRule.Key: Operation] = [:]
        /// The number of calls to `discard()`; a batch of an earlier generation is abandoned.
        var generation = 0
        /// Whether the last write took longer than a response may wait for it.
        var isSlow = false
        /// The handlers that are called once nothing is waiting.
        var handlers: [@Sendable () -> Void] = []
    }

    /// The time, in nanoseconds, for which writing may block the engine's thread for one response.
    private let budget: UInt64
    private let storage: any CookieStoring
    private let queue = DispatchQueue(label: "ferry.cookies")
    private let state = Mutex(State())

    init(_ storage: any CookieStoring, budget: UInt64 = 20_000_000) {
        self.storage = storage
        self.budget = budget
    }

    /// All cookies, including those that have not been written yet, and the number of calls to `discard()` before they
    /// were read.
    var known: (cookies: CookieIndex, generation: Int) {
        let (snapshot, generation) = state.withLock { ($0.snapshot, $0.generation) }
        if let snapshot { return (snapshot, generation) }
        // A storage that another session changes may not respond for long, so it is not asked under the lock.
        let cookies = storage.cookies ?? []
        return state.withLock { state in
            state.stored.update(to: cookies)
            return (state.stored, generation)
        }
    }

    /// Applies changes to the cookies that `known` has returned; those that have been discarded since do not come back.
    func apply(_ changes: CookieStoreRule.Changes, to known: (cookies: CookieIndex, generation: Int)) {
        guard !changes.removed.isEmpty || !changes.stored.isEmpty else { return }
        let batch: (operations: [Operation], generation: Int, isSlow: Bool)? = state.withLock { state in
            let isIdle = state.snapshot == nil
            var snapshot = state.snapshot ?? (known.generation == state.generation ? known.cookies : CookieIndex())
            let present = snapshot.change(removing: changes.removed, storing: changes.stored)
            state.snapshot = snapshot
            for cookie in changes.removed {
                let key = CookieStoreRule.Key(cookie)
                state.waiting[key] = Self.isWritten(key, state.waiting, present) ? .remove(cookie) : nil
            }
            for cookie in changes.stored {
                let key = CookieStoreRule.Key(cookie)
                state.waiting[key] = .store(cookie, isNew: !Self.isWritten(key, state.waiting, present))
            }
            // If another thread is writing, it writes these changes too.
            return isIdle ? (Self.takeBatch(&state), state.generation, state.isSlow) : nil
        }
        guard let batch else { return }
        let end = MonotonicTime.now().advanced(by: TimeSpan(nanoseconds: budget))
        let operations = batch.operations[...]
        let rest = batch.isSlow ? operations : write(operations, generation: batch.generation, until: end)
        // Changes that arrived during a slow write are left to the queue too.
        if rest.isEmpty, finish() { return }
        queue.async { self.writeAll(rest, generation: batch.generation) }
    }

    /// Discards everything that has not been written.
    func discard() {
        state.withLock { state in
            state.generation += 1
            state.waiting = [:]
            state.stored = CookieIndex()
            if state.snapshot != nil { state.snapshot = CookieIndex() }
        }
    }

    /// Calls a handler once everything that is waiting now has been written, immediately or on the writer's queue.
    func afterWriting(_ handler: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.snapshot != nil { state.handlers.append(handler) }
            return state.snapshot == nil
        }
        if isIdle { handler() }
    }

    /// Whether the storage will have a cookie with a key once the current batch is written; `present` are the keys that
    /// the snapshot had.
    private static func isWritten(
        _ key: CookieStoreRule.Key,
        _ waiting: [CookieStoreRule.Key: Operation],
        _ present: Set<CookieStoreRule.Key>
    ) -> Bool {
        switch waiting[key] {
        case .store(_, let isNew): !isNew
        case .remove: true
        case nil: present.contains(key)
        }
    }

    /// Removes the waiting operations from the state, under the lock, and returns them.
    private static func takeBatch(_ state: inout State) -> [Operation] {
        let batch = Array(state.waiting.values)
        state.waiting = [:]
        return batch
    }

    /// Writes until a point in time and returns the remaining operations.
    private func write(_ operations: Operations, generation: Int, until end: MonotonicTime?) -> Operations {
        var rest = operations
        while let operation = rest.popFirst() {
            let start = MonotonicTime.now()
            guard state.withLock({ $0.generation == generation }) else { return [] }
            switch operation {
            case .store(let cookie, _):
                storage.setCookie(cookie)
                // The storage may have been emptied before the cookie was in it.
                if state.withLock({ $0.generation != generation }) { storage.deleteCookie(cookie) }
            case .remove(let cookie): storage.deleteCookie(cookie)
            }
            let now = MonotonicTime.now()
            state.withLock { $0.isSlow = now > start.advanced(by: TimeSpan(nanoseconds: budget)) }
            if let end, now >= end { break }
        }
        return rest
    }

    /// Uses the storage's own cookies again if nothing is waiting, and returns whether that is the case.
    private func finish() -> Bool {
        let handlers = state.withLock { state -> [@Sendable () -> Void]? in
            guard state.waiting.isEmpty else { return nil }
            defer { (state.snapshot, state.handlers) = (nil, []) }
            return state.handlers
        }
        guard let handlers else { return false }
        for handler in handlers { queue.async(execute: handler) }
        return true
    }

    private func writeAll(_ operations: Operations, generation: Int) {
        var (rest, generation) = (operations, generation)
        while true {
            _ = write(rest, generation: generation, until: nil)
            if finish() { return }
            (rest, generation) = state.withLock { (Self.takeBatch(&$0)[...], $0.generation) }
        }
    }
}
