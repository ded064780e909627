import Ferry

/// What happens, as JSON on lines of their own, for programs.
final class EventLog: Sendable {
    private struct State {
        var failure: CommandFailure?
        /// When progress of a transfer was last told.
        var progressTimes: [Int: ContinuousClock.Instant] = [:]
    }

    private let descriptor: Int32
    private let path: String
    private let isOwned: Bool
    private let state = Locked(State())

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
        state.withLock { state in
            guard state.failure == nil else { return }
            do throws(CommandFailure) {
                try FileDescriptor.writeAll(data, to: descriptor, path: path)
            } catch {
                state.failure = error
            }
        }
    }

    /// Whether a second has gone by since progress of a transfer was last told.
    func isProgressDue(_ transfer: Int) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            if let last = state.progressTimes[transfer], now - last < .seconds(1) { return false }
            state.progressTimes[transfer] = now
            return true
        }
    }
}
