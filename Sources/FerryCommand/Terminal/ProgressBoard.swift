import Ferry

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
        var meter: RateMeter
        var startedAt: Double
        var startedFrom: Int64 = 0
        /// The bytes that were sent before the response began.
        var sent: Int64 = 0

        mutating func update(_ change: (inout ProgressLine) -> Void) {
            let wasUpload = line.isUpload
            change(&line)
            let now = ProgressBoard.now
            if wasUpload != line.isUpload { meter = RateMeter(at: now, count: line.completed) }
            meter.add(line.completed, at: now)
        }

        mutating func restart(at offset: Int64, of total: Int64?) {
            if line.isUpload { sent = line.completed }
            (line.completed, line.total, line.isUpload) = (offset, total, false)
            meter = RateMeter(at: ProgressBoard.now, count: offset)
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
            let now = Self.now
            let line = ProgressLine(name: TextStyle.printable(name))
            state.entries[state.nextNumber] = Entry(line: line, meter: RateMeter(at: now), startedAt: now)
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
        line.rate = entry.meter.rate(at: now)
        return line
    }

    /// Returns one line for all transfers: the sum if there are several, `nil` if there are none.
    static func summary(_ lines: [ProgressLine]) -> ProgressLine? {
        guard let first = lines.first, lines.count > 1 else { return lines.first }
        var sum = ProgressLine(name: "\(lines.count) transfers", total: 0, isUpload: lines.allSatisfy(\.isUpload))
        for line in lines {
            sum.completed = sum.completed.addingClamped(line.completed)
            sum.total = line.total.flatMap { sum.total?.addingClamped($0) }
        }
        let rates = lines.compactMap(\.rate)
        sum.rate = rates.isEmpty ? first.rate : rates.reduce(0, +)
        return sum
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
        console.line(Self.lastLine(entry, seconds: max(Self.now - entry.startedAt, 0.001)))
    }

    private static func lastLine(_ entry: Entry, seconds: Double) -> String {
        let sent = entry.line.isUpload ? entry.line.completed : entry.sent
        let moved = sent > 0 ? sent : max(0, entry.line.completed - entry.startedFrom)
        let time = ByteText.elapsed(seconds)
        let rate = ByteText.rate(Double(moved) / seconds)
        return "\(entry.line.name): \(sent > 0 ? "sent " : "")\(ByteText.text(moved)) in \(time), \(rate)"
    }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}

extension ProgressBoard {
    /// One transfer on the board.
    struct Item: Sendable {
        let board: ProgressBoard
        let number: Int

        /// Sets the number of bytes transferred so far.
        func update(_ completed: Int64) { board.change(number) { $0.update { $0.completed = completed } } }

        /// Sets the number of bytes transferred so far and the total, which is negative if unknown.
        func update(_ completed: Int64, of total: Int64, isUpload: Bool) {
            board.change(number) { entry in
                entry.update { ($0.completed, $0.total, $0.isUpload) = (completed, total < 0 ? nil : total, isUpload) }
            }
        }

        /// Starts counting the response, from the bytes that a partial file already has.
        func begin(at offset: Int64, of total: Int64?) {
            board.change(number) { $0.restart(at: offset, of: total) }
        }

        func rename(_ name: String) { board.change(number) { $0.update { $0.name = TextStyle.printable(name) } } }

        /// Removes the transfer from the board, and prints a summary if it is complete.
        func end(isComplete: Bool) { board.end(number, isComplete: isComplete) }
    }
}
