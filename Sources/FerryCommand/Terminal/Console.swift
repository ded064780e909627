import Ferry

/// Standard error: lines, and on a terminal one line below them that is drawn again and again.
final class Console: Sendable {
    let terminal: Terminal
    private let isSilent: Bool
    private let isVerbose: Bool
    /// Whether standard error belongs to something else.
    private let isMuted: Bool
    private let status = Locked("")

    init(
        _ terminal: Terminal = Terminal(STDERR_FILENO),
        isSilent: Bool = false,
        isVerbose: Bool = false,
        isMuted: Bool = false
    ) {
        self.terminal = terminal
        self.isSilent = isSilent
        self.isVerbose = isVerbose
        self.isMuted = isMuted
    }

    /// Tells what went wrong.
    func error(_ text: String) {
        line(terminal.style.red("ferry: ") + TextStyle.printable(text))
    }

    /// Tells what may be good to know.
    func note(_ text: String) {
        if !isSilent { line("ferry: " + TextStyle.printable(text)) }
    }

    /// Tells what `-v` asks for.
    func verbose(_ lines: [String]) {
        guard isVerbose else { return }
        for text in lines { line(TextStyle.printable(text)) }
    }

    /// Writes a line as it is, above the status.
    func line(_ text: String) {
        status.withLock { status in
            write((status.isEmpty ? "" : Self.erase) + text + "\n" + status)
        }
    }

    /// Draws the status again; an empty one goes.
    func setStatus(_ text: String) {
        guard terminal.canRedraw else { return }
        status.withLock { status in
            guard text != status else { return }
            write(Self.erase + text)
            status = text
        }
    }

    private static let erase = "\r\u{1B}[K"

    private func write(_ text: String) {
        guard !isMuted else { return }
        // There is nowhere to tell that standard error is closed.
        try? FileDescriptor.writeAll(Data(text.utf8), to: terminal.descriptor, path: "standard error")
    }
}
