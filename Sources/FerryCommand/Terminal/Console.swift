import Ferry

/// Standard error: lines, and on a terminal a status line below them that is redrawn in place.
final class Console: Sendable {
    let terminal: Terminal
    private let isSilent: Bool
    private let isVerbose: Bool
    /// Whether nothing is written, because standard error carries the JSON log.
    private let isMuted: Bool
    private let output: OutputDescriptor
    private let status = Mutex("")

    init(
        _ terminal: Terminal = Terminal(STDERR_FILENO),
        isSilent: Bool = false,
        isVerbose: Bool = false,
        isMuted: Bool = false
    ) {
        self.terminal = terminal
        output = OutputDescriptor(terminal.descriptor, name: "standard error")
        self.isSilent = isSilent
        self.isVerbose = isVerbose
        self.isMuted = isMuted
    }

    convenience init(_ options: FetchOptions) {
        self.init(isSilent: options.isSilent, isVerbose: options.isVerbose, isMuted: options.logsToStandardError)
    }

    func error(_ text: String) { line(terminal.style.red("ferry: ") + TextStyle.printable(text)) }

    /// Prints a note unless the console is silent.
    func note(_ text: String) {
        if !isSilent { line("ferry: " + TextStyle.printable(text)) }
    }

    /// Prints lines if `-v` was given.
    func verbose(_ lines: @autoclosure () -> [String]) {
        guard isVerbose else { return }
        for text in lines() { line(TextStyle.printable(text)) }
    }

    /// Writes a line unchanged, above the status.
    func line(_ text: String) {
        status.withLock { status in
            write((status.isEmpty ? "" : Self.erase) + text + "\n" + status)
        }
    }

    /// Replaces the status line; an empty text removes it.
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
        // An error is ignored: there is no other place to report that standard error is closed.
        try? output.writeAll(Data(text.utf8))
    }
}
