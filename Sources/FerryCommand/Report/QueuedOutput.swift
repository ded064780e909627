import Ferry

/// An output whose lines are written by a queue; each write has all lines that were added meanwhile.
final class QueuedOutput: Sendable {
    private struct State {
        var failure: CommandFailure?
        var waiting = Data()
        /// Whether the queue is writing or is about to.
        var isWriting = false
        var atFailure: @Sendable () -> Void = {}
    }

    private let output: OutputDescriptor
    private let state = Mutex(State())
    /// The queue that writes; a slow reader blocks nothing else.
    private let queue = DispatchQueue(label: "ferry.output")
    /// The number of waiting bytes from which the reader counts as slow.
    private static let maximumWaiting = 1 << 20

    init(_ output: OutputDescriptor) { self.output = output }

    /// The reason why a line could not be written; all later lines are missing too.
    var failure: CommandFailure? { state.withLock { $0.failure } }

    /// Whether much waits for the reader.
    var isBehind: Bool { state.withLock { $0.waiting.count >= Self.maximumWaiting } }

    /// Sets the handler that is called once when a line cannot be written.
    func setFailureHandler(_ handler: @escaping @Sendable () -> Void) {
        let hasFailed = state.withLock { state in
            state.atFailure = handler
            return state.failure != nil
        }
        if hasFailed { handler() }
    }

    /// Adds a line without waiting for the reader.
    func add(_ line: String) {
        let isFirst = state.withLock { state in
            guard state.failure == nil else { return false }
            state.waiting.append(contentsOf: line.utf8)
            state.waiting.append(UInt8(ascii: "\n"))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { queue.async { self.writeWaiting() } }
    }

    /// Adds a line, and waits for the reader if too many lines wait.
    func write(_ line: String) async {
        add(line)
        if isBehind { await flush() }
    }

    /// Waits until all lines are written, without a time limit; a signal still ends the process.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.writeWaiting()
                continuation.resume()
            }
        }
    }

    /// Writes all waiting lines; called on the queue.
    private func writeWaiting() {
        while let data = takeWaiting() {
            do throws(CommandFailure) {
                try output.writeAll(data)
            } catch {
                let handler = state.withLock { state in
                    (state.failure, state.waiting) = (error, Data())
                    return state.atFailure
                }
                handler()
            }
        }
    }

    private func takeWaiting() -> Data? {
        state.withLock { state in
            state.isWriting = !state.waiting.isEmpty
            guard state.isWriting else { return nil }
            defer { state.waiting = Data() }
            return state.waiting
        }
    }
}
