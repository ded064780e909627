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
/// or deleted: with 500 cookies that takes 80 ms each time. So only as many cookies as fit into `budget` are written
/// immediately, which are all the cookies of nearly every response, and the rest on a queue. `cookies` includes them
/// even before they are written.
///
/// `@unchecked Sendable`: the storage is thread-safe, and the rest is constant or protected by a lock.
final class CookieWriter: @unchecked Sendable {
    private enum Operation {
        case store(HTTPCookie)
        case remove(HTTPCookie)
    }

    private typealias Operations = ArraySlice<Operation>

    private struct State {
        /// The cookies as they will be once everything is written; `nil` while nothing is waiting.
        var snapshot: [CookieStoreRule.Key: HTTPCookie]?
        /// The operations for after the current batch; a new cookie that is removed again is left out.
        var waiting: [CookieStoreRule.Key: Operation] = [:]
        /// The keys in the storage, as they will be once the current batch is written.
        var written: Set<CookieStoreRule.Key> = []
        /// The number of calls to `discard()`; a batch of an earlier generation is abandoned.
        var generation = 0
        /// What is called once nothing is waiting.
        var handlers: [@Sendable () -> Void] = []
    }

    /// How long writing may block the engine's thread for one response, in nanoseconds.
    private let budget: UInt64
    private let storage: any CookieStoring
    private let queue = DispatchQueue(label: "ferry.cookies")
    private let state = Mutex(State())

    init(_ storage: any CookieStoring, budget: UInt64 = 20_000_000) {
        self.storage = storage
        self.budget = budget
    }

    /// All cookies, including those that have not been written yet.
    var cookies: [HTTPCookie] { known.cookies }

    /// All cookies, and the number of calls to `discard()` before they were read.
    var known: (cookies: [HTTPCookie], generation: Int) {
        let (snapshot, generation) = state.withLock { ($0.snapshot, $0.generation) }
        return (snapshot.map { Array($0.values) } ?? storage.cookies ?? [], generation)
    }

    /// Applies changes to the cookies that `known` has returned; those that have been discarded since do not come back.
    func apply(_ changes: CookieStoreRule.Changes, to known: (cookies: [HTTPCookie], generation: Int)) {
        guard !changes.removed.isEmpty || !changes.stored.isEmpty else { return }
        let batch: (operations: [Operation], generation: Int)? = state.withLock { state in
            let isIdle = state.snapshot == nil
            if isIdle {
                let known = known.generation == state.generation ? known.cookies : []
                let snapshot = Dictionary(known.map { (CookieStoreRule.Key($0), $0) }) { $1 }
                (state.snapshot, state.written) = (snapshot, Set(snapshot.keys))
            }
            for cookie in changes.removed {
                let key = CookieStoreRule.Key(cookie)
                state.snapshot?[key] = nil
                state.waiting[key] = state.written.contains(key) ? .remove(cookie) : nil
            }
            for cookie in changes.stored {
                let key = CookieStoreRule.Key(cookie)
                state.snapshot?[key] = cookie
                state.waiting[key] = .store(cookie)
            }
            // If another thread is writing, it writes these changes too.
            return isIdle ? (Self.takeBatch(&state), state.generation) : nil
        }
        guard let batch else { return }
        let end = MonotonicTime.now().advanced(by: TimeSpan(nanoseconds: budget))
        let rest = write(batch.operations[...], generation: batch.generation, until: end)
        // Changes that arrived during a slow write are left to the queue too.
        if rest.isEmpty, finish() { return }
        queue.async { self.writeAll(rest, generation: batch.generation) }
    }

    /// Discards everything that has not been written.
    func discard() {
        state.withLock { state in
            state.generation += 1
            state.waiting = [:]
            if state.snapshot != nil { state.snapshot = [:] }
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

    /// Removes the waiting operations from the state, under the lock, and returns them.
    private static func takeBatch(_ state: inout State) -> [Operation] {
        for (key, operation) in state.waiting {
            if case .store = operation { state.written.insert(key) } else { state.written.remove(key) }
        }
        let batch = Array(state.waiting.values)
        state.waiting = [:]
        return batch
    }

    /// Writes until a point in time and returns the remaining operations.
    private func write(_ operations: Operations, generation: Int, until end: MonotonicTime?) -> Operations {
        var rest = operations
        while let operation = rest.popFirst() {
            guard state.withLock({ $0.generation == generation }) else { return [] }
            switch operation {
            case .store(let cookie):
                storage.setCookie(cookie)
                // The storage may have been emptied before the cookie was in it.
                if state.withLock({ $0.generation != generation }) { storage.deleteCookie(cookie) }
            case .remove(let cookie): storage.deleteCookie(cookie)
            }
            if let end, MonotonicTime.now() >= end { break }
        }
        return rest
    }

    /// Returns to the storage's own cookies if nothing is waiting, and returns whether that is the case.
    private func finish() -> Bool {
        let handlers = state.withLock { state -> [@Sendable () -> Void]? in
            guard state.waiting.isEmpty else { return nil }
            defer { (state.snapshot, state.written, state.handlers) = (nil, [], []) }
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
