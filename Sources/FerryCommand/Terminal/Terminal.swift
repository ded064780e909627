import Ferry

/// A descriptor and the capabilities of the terminal it is connected to, if any.
struct Terminal: Sendable {
    let descriptor: Int32
    let isTerminal: Bool
    let style: TextStyle
    /// Whether a line can be redrawn in place.
    let canRedraw: Bool

    init(_ descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        style = TextStyle.of(environment, isTerminal: isTerminal)
        canRedraw = isTerminal && environment["TERM"] != "dumb"
    }

    /// The current number of columns; 80 if unknown.
    var width: Int {
        var size = winsize()
        let usual = 80
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return usual }
        return Int(size.ws_col)
    }
}
