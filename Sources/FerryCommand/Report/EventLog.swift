import Ferry

/// What happens, as JSON on lines of their own, for programs.
///
/// Who tells something never waits for the log's reader; ``flush()`` does, at the end of the run.
final class EventLog: Sendable {
    private struct State {
        var failure: CommandFailure?
        /// Lines on their way to the reader: a few for each transfer, and progress as far as ``mostWaiting`` lets it.
        var waiting = Data()
        /// Whether somebody is writing, or about to.
        var isWriting = false
        /// When progress of a transfer was last told.
        var progressTimes: [Int: ContinuousClock.Instant] = [:]
    }

    private let descriptor: Int32
    private let path: String
    private let isOwned: Bool
    private let state = Locked(State())
    /// A reader may take its time, so the writing waits on a thread of its own.
    private let queue = DispatchQueue(label: "ferry.log")
    /// How many bytes may wait when progress is told; a reader that is so far behind can do without.
    private static let mostWaiting = 1 << 20

    /// Empties a file, or opens standard error for `-`.
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

    /// Why a line could not be written; what came after it is missing.
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

    /// Waits until the reader has all lines, however long it takes; a signal ends the process nevertheless.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.writeWaiting()
                continuation.resume()
            }
        }
    }

    /// Writes until nothing is left, on the queue.
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

    /// Whether a second has gone by since progress of a transfer was last told, and the reader keeps up.
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
