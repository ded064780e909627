import CFerry
import CSimulation
import Foundation
import Testing
import struct Synchronization.Atomic

@testable import FerryCore

/// A process in which time, libcurl and the network are simulated, for tests of whole sessions.
///
/// Time passes only when every thread of the process waits: then a thread of the simulation sets the clock to the next
/// event, which is an event of the network, the end of an engine's wait, or scheduled by a test. Events happen one at a
/// time, each after all consequences of the event before it. So the seed determines what happens, as long as one event
/// does not make several threads work at the same time.
///
/// The library's asynchronous functions wait for simulated time too. A test that calls `Task.sleep` waits for real
/// time, and the simulation does not wait for it: use ``sleep(_:)`` instead. The process cannot have real sessions at
/// the same time, so each test is an exit test.
final class Simulation: Sendable {
    /// The simulation of this process; the first access replaces libcurl and the clocks.
    static let shared = Simulation()

    struct Failure: Error, CustomStringConvertible { let description: String }

    private enum Event {
        /// Code of a test that runs on the thread of the simulation; it must not wait.
        case action(@Sendable () -> Void)
        /// The end of a wait in the library's code; nothing happens if the wait was cancelled.
        case wait(SimulatedWait)
        /// An event of an engine's transfers, or `nil` if only the engine's wait ends.
        case network(SimulatedMulti, (@Sendable () -> Void)?)
    }

    private struct State {
        var events = Heap<Event>()
        /// The ends of the waits of engines, by the numbers of their handles.
        var waits: [Int: (multi: SimulatedMulti, end: UInt64)] = [:]
        /// The time at which the run fails, and the action then.
        var limit = UInt64.max
        var fail: (@Sendable (Failure) -> Void)?
        var hosts: [String: SimulatedHost] = [:]
    }

    private let state = Mutex(State())

    private init() {
        SystemClock.replacement = { clock, result in
            let offset: UInt64 = clock == CLOCK_REALTIME ? dateOffset.load(ordering: .relaxed) : 0
            let now = simulatedNow.load(ordering: .relaxed)
            result?.pointee = timespec(tv_sec: Int(now / 1_000_000_000 + offset), tv_nsec: Int(now % 1_000_000_000))
            return 0
        }
        SystemClock.sleepReplacement = { [self] time in try await sleep(time) }
        installSimulatedCurl()
        ferry_use_library { name in simulation_find(name) }
        Thread { self.drive() }.start()
    }

    // MARK: - Time

    /// The nanoseconds that have passed.
    var now: UInt64 { simulatedNow.load(ordering: .relaxed) }
    /// The seconds that have passed.
    var seconds: Double { Double(now) / 1e9 }

    /// Sets the clock of dates forward, and no other clock.
    func setDates(forward seconds: UInt64) { dateOffset.wrappingAdd(seconds, ordering: .relaxed) }

    /// Waits for simulated seconds.
    func sleep(_ seconds: Double) async {
        await withCheckedContinuation { continuation in after(seconds) { continuation.resume() } }
    }

    /// Does something after simulated seconds.
    func after(_ seconds: Double, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.events.insert(.action(action), at: now + UInt64(seconds * 1e9)) }
    }

    /// Waits for simulated time, or throws a `CancellationError` as soon as the Swift task is cancelled.
    private func sleep(_ time: TimeSpan) async throws {
        let wait = SimulatedWait()
        if time != .infinite { state.withLock { $0.events.insert(.wait(wait), at: now + time.nanoseconds) } }
        try await wait.end()
    }

    func schedule(_ multi: SimulatedMulti, after seconds: Double, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.events.insert(.network(multi, action), at: now + UInt64(seconds * 1e9)) }
    }

    func beginWait(of multi: SimulatedMulti, milliseconds: Int32) {
        let end = milliseconds < 0 ? UInt64.max : now + UInt64(milliseconds) * 1_000_000
        state.withLock { $0.waits[multi.number] = (multi, end) }
    }

    func endWait(of multi: SimulatedMulti) { state.withLock { $0.waits[multi.number] = nil } }

    // MARK: - Hosts

    /// Adds a host, or replaces it.
    func add(_ host: SimulatedHost, named name: String) { state.withLock { $0.hosts[name] = host } }
    func host(_ name: String) -> SimulatedHost? { state.withLock { $0.hosts[name] } }

    // MARK: - Running

    /// Runs the code of a test.
    ///
    /// - Parameters:
    ///   - hours: The simulated time after which the run fails.
    ///   - body: The code.
    /// - Returns: What the code returns.
    /// - Throws: What the code throws, or a ``Failure`` if it does not end.
    func run<Result: Sendable>(
        hours: Double = 1_000,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let ends = AsyncThrowingStream<Result, any Error>.makeStream()
        state.withLock { state in
            state.limit = now + UInt64(hours * 3_600 * 1e9)
            state.fail = { ends.continuation.finish(throwing: $0) }
        }
        let task = Task {
            do {
                ends.continuation.yield(try await body())
                ends.continuation.finish()
            } catch {
                ends.continuation.finish(throwing: error)
            }
        }
        defer {
            task.cancel()
            state.withLock { ($0.limit, $0.fail) = (.max, nil) }
        }
        do {
            for try await result in ends.stream { return result }
        } catch let failure as Failure {
            // The exit of a process with an error does not name the error.
            Issue.record("\(failure)")
            throw failure
        }
        throw Failure(description: "The run has ended without a result")
    }

    // MARK: - The thread of the simulation

    private func drive() {
        var idle = 0
        while true {
            simulation_wait_for_others()
            if step() {
                idle = 0
                continue
            }
            // Nothing is scheduled, except perhaps a timer of the system.
            idle += 1
            if idle.isMultiple(of: 3_000) { fail("Nothing is left to happen, after \(seconds) simulated seconds") }
            usleep(1_000)
        }
    }

    /// Performs the next event, and returns whether there was one.
    private func step() -> Bool {
        let (event, isOver) = state.withLock { state -> (Event?, Bool) in
            while case .wait(let wait) = state.events.firstValue, wait.isOver { _ = state.events.removeFirst() }
            let wait = state.waits.values.filter { $0.end != .max }.min { $0.end < $1.end }
            let time = min(state.events.first ?? .max, wait?.end ?? .max)
            guard time != .max else { return (nil, false) }
            if time > state.limit { return (nil, true) }
            simulatedNow.store(max(now, time), ordering: .relaxed)
            if state.events.first == time { return (state.events.removeFirst(), false) }
            return (wait.map { .network($0.multi, nil) }, false)
        }
        if isOver {
            fail("The run has not ended by its limit, after \(seconds) simulated seconds")
            return false
        }
        switch event {
        case nil: return false
        case .action(let action): action()
        case .wait(let wait): wait.finish(.success(()))
        case .network(let multi, let action): multi.wake(for: action)
        }
        return true
    }

    private func fail(_ text: String) { state.withLock { $0.fail }?(Failure(description: text)) }
}

/// The time in nanoseconds, global because a C function reads it.
private let simulatedNow = Atomic<UInt64>(1_000_000_000)
/// The date at which simulated time begins, in 2027.
private let dateOffset = Atomic<UInt64>(1_800_000_000)
