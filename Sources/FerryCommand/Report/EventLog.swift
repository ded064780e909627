import Ferry

/// The JSON log: one object per line for each event.
///
/// Logging never waits for the reader of the log; only ``flush()`` does, at the end of the run.
final class EventLog: Sendable {
    private struct State {
        var failure: CommandFailure?
        /// Lines that are not written yet: a few for each transfer, and progress up to ``mostWaiting``.
        var waiting = Data()
        /// Whether the queue is writing or is about to.
        var isWriting = false
        /// When progress of each transfer was last logged.
        var progressTimes: [Int: ContinuousClock.Instant] = [:]
    }

    private let descriptor: Int32
    private let path: String
    private let isOwned: Bool
    private let state = Locked(State())
    /// The queue that writes; a slow reader blocks nothing else.
    private let queue = DispatchQueue(label: "ferry.log")
    /// The number of waiting bytes from which progress is no longer logged.
    private static let mostWaiting = 1 << 20

    /// Creates or empties the file at `path`; `-` is standard error.
    init(path: String) throws(CommandFailure) {
        let isStandardError = path == "-"
        self.path = isStandardError ? "standard error" : path
        isOwned = !isStandardError
        descriptor =
            isStandardError ? STDERR_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .file(path, "cannot be opened", errno: errno) }
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// The reason why a line could not be written; all later lines are missing too.
    var failure: CommandFailure? { state.withLock { $0.failure } }

    func write(_ event: String, transfer: Int? = nil, _ addFacts: (inout JSONLine) -> Void) {
        var line = JSONLine()
        line.add("event", event)
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        line.add("time", Date().formatted(format))
        if let transfer { line.add("id", Int64(transfer)) }
        addFacts(&line)
        let data = Data((line.text + "\n").utf8)
        let isFirst = state.withLock { state in
            guard state.failure == nil else { return false }
            state.waiting.append(data)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { queue.async { self.writeWaiting() } }
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
                try FileDescriptor.writeAll(data, to: descriptor, path: path)
            } catch {
                state.withLock { state in
                    state.failure = error
                    state.waiting = Data()
                }
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

    /// Returns whether to log progress of a transfer now: a second after the last time, if the reader keeps up.
    func isProgressDue(_ transfer: Int) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            guard state.waiting.count < Self.mostWaiting else { return false }
            if let last = state.progressTimes[transfer], now - last < .seconds(1) { return false }
            state.progressTimes[transfer] = now
            return true
        }
    }
}
