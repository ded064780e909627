import Ferry
import FerryTransfers

/// Shows the progress of all running transfers on the console.
final class ProgressBoard: Sendable {
    /// The way in which progress is shown.
    enum Mode: Equatable, Sendable {
        case hidden
        /// A bar that is redrawn ten times a second.
        case bar
        /// One line per second.
        case lines
    }

    fileprivate struct Entry {
        var line: ProgressLine
        var rate = TransferRate(start: .now())
        let startedAt = MonotonicTime.now()
        var startedFrom: Int64 = 0
        /// The bytes that were sent before the response began.
        var sent: Int64 = 0

        mutating func update(_ completed: Int64, of total: Int64?, isUpload: Bool) {
            let now = MonotonicTime.now()
            if isUpload == line.isUpload {
                rate.add(Int(completed - line.progress.completedByteCount), at: now)
            } else {
                rate = TransferRate(start: now)
            }
            (line.progress.completedByteCount, line.progress.totalByteCount) = (completed, total)
            line.isUpload = isUpload
        }

        mutating func restart(at offset: Int64, of total: Int64?) {
            if line.isUpload { sent = line.progress.completedByteCount }
            line.progress = TransferProgress(completedByteCount: offset, totalByteCount: total)
            line.isUpload = false
            rate = TransferRate(start: .now())
            startedFrom = offset
        }
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var nextNumber = 0
        var ticker: Task<Void, Never>?
    }

    private let console: Console
    private let mode: Mode
    private let state = Mutex(State())
    /// Held while the status is computed and drawn, so that no status is drawn after its removal.
    ///
    /// It is not the lock of the state, since a stopped terminal must not stop the transfers.
    private let drawing = Mutex(())

    init(_ console: Console, mode: Mode) {
        self.console = console
        self.mode = mode
    }

    /// Adds a transfer, which ``Item/end(isComplete:)`` removes.
    func begin(_ name: String) -> Item {
        let number = state.withLock { state -> Int in
            defer { state.nextNumber += 1 }
            state.entries[state.nextNumber] = Entry(line: ProgressLine(name: TextStyle.printable(name)))
            if state.ticker == nil, mode != .hidden { state.ticker = makeTicker() }
            return state.nextNumber
        }
        return Item(board: self, number: number)
    }

    private func makeTicker() -> Task<Void, Never> {
        let pause: Duration = mode == .bar ? .milliseconds(100) : .seconds(1)
        return Task { [weak self] in
            while !Task.isCancelled {
                do { try await Task.sleep(for: pause) } catch { return }
                self?.show()
            }
        }
    }

    private func show() {
        drawing.withLock { _ in
            let line = state.withLock { state in
                Self.summary(state.entries.sorted { $0.key < $1.key }.map { Self.current($0.value) })
            }
            guard let line else { return }
            if mode == .bar {
                console.setStatus(line.bar(width: console.terminal.width, style: console.terminal.style))
            } else {
                console.line(line.text)
            }
        }
    }

    private static func current(_ entry: Entry) -> ProgressLine {
        var line = entry.line
        line.progress.rate = entry.rate.value(at: .now())
        return line
    }

    /// Returns one line for all transfers: the sum if there are several, `nil` if there are none.
    static func summary(_ lines: [ProgressLine]) -> ProgressLine? {
        guard lines.count > 1 else { return lines.first }
        let sum = TransferProgress.sum(of: lines.map(\.progress))
        return ProgressLine(name: "\(lines.count) transfers", progress: sum, isUpload: lines.allSatisfy(\.isUpload))
    }

    fileprivate func change(_ number: Int, _ change: @Sendable (inout Entry) -> Void) {
        state.withLock { state in
            guard var entry = state.entries[number] else { return }
            change(&entry)
            state.entries[number] = entry
        }
    }

    fileprivate func end(_ number: Int, isComplete: Bool) {
        let (entry, ticker) = state.withLock { state -> (Entry?, Task<Void, Never>?) in
            let entry = state.entries.removeValue(forKey: number)
            guard state.entries.isEmpty else { return (entry, nil) }
            defer { state.ticker = nil }
            return (entry, state.ticker)
        }
        if let ticker {
            ticker.cancel()
            drawing.withLock { _ in console.setStatus("") }
        }
        guard isComplete, mode != .hidden, let entry else { return }
        console.line(Self.lastLine(entry, seconds: max(MonotonicTime.now().since(entry.startedAt).seconds, 0.001)))
    }

    private static func lastLine(_ entry: Entry, seconds: Double) -> String {
        let completed = entry.line.progress.completedByteCount
        let sent = entry.line.isUpload ? completed : entry.sent
        let moved = sent > 0 ? sent : max(0, completed - entry.startedFrom)
        let time = ByteText.elapsed(seconds)
        let rate = ByteText.rate(Double(moved) / seconds)
        return "\(entry.line.name): \(sent > 0 ? "sent " : "")\(ByteText.text(moved)) in \(time), \(rate)"
    }
}

extension ProgressBoard {
    /// One transfer on the board.
    struct Item: Sendable {
        let board: ProgressBoard
        let number: Int

        /// Sets the number of bytes of the response so far.
        func update(_ completed: Int64) {
            board.change(number) { $0.update(completed, of: $0.line.progress.totalByteCount, isUpload: false) }
        }

        /// Sets the number of bytes transferred so far and the total, which is nil or negative if unknown.
        func update(_ completed: Int64, of total: Int64?, isUpload: Bool) {
            board.change(number) { $0.update(completed, of: total.flatMap { $0 < 0 ? nil : $0 }, isUpload: isUpload) }
        }

        /// Starts counting the response, from the bytes that a partial file already has.
        func begin(at offset: Int64, of total: Int64?) {
            board.change(number) { $0.restart(at: offset, of: total) }
        }

        func rename(_ name: String) { board.change(number) { $0.line.name = TextStyle.printable(name) } }

        /// Removes the transfer from the board, and prints a summary if it is complete.
        func end(isComplete: Bool) { board.end(number, isComplete: isComplete) }
    }
}
