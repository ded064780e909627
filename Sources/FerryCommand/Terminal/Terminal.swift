import Ferry

/// A descriptor, and whether it is a terminal.
struct Terminal: Sendable {
    let descriptor: Int32
    let isTerminal: Bool
    let style: TextStyle
    /// Whether a line can be drawn again in place.
    let canRedraw: Bool

    init(_ descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        style = TextStyle.of(environment, isTerminal: isTerminal)
        canRedraw = isTerminal && environment["TERM"] != "dumb"
    }

    /// How many columns there are now; 80 where nobody knows.
    var width: Int {
        var size = winsize()
        let usual = 80
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return usual }
        return Int(size.ws_col)
    }
}
