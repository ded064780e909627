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

/// The colours and characters that a terminal can show.
struct TextStyle: Equatable, Sendable {
    var hasColor = false
    var isUnicode = false

    func bold(_ text: String) -> String { wrapped(text, "1") }
    func dim(_ text: String) -> String { wrapped(text, "2") }
    func red(_ text: String) -> String { wrapped(text, "31") }
    func green(_ text: String) -> String { wrapped(text, "32") }
    func accent(_ text: String) -> String { wrapped(text, "1;36") }

    private func wrapped(_ text: String, _ code: String) -> String {
        hasColor && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// Returns the style for the environment variables `NO_COLOR` (no-color.org), `TERM` and those of the locale.
    static func of(_ environment: [String: String], isTerminal: Bool) -> TextStyle {
        let isColorUnwanted = environment["NO_COLOR"]?.isEmpty == false
        let isDumb = environment["TERM"].map { $0.isEmpty || $0 == "dumb" } ?? true
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let isUTF8 = locale.lowercased().replacingOccurrences(of: "-", with: "").contains("utf8")
        return TextStyle(hasColor: isTerminal && !isColorUnwanted && !isDumb, isUnicode: isUTF8)
    }

    /// Returns the text with `?` for each control character, so that text from servers cannot control a terminal.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "?" : $0 }))
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        let isBidirectional = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        return scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || isBidirectional
    }

    /// Returns the number of columns that a terminal takes for a text.
    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// Returns the number of columns of a character: two for wide ones of East Asian scripts and for emoji.
    private static func columns(_ character: Character) -> Int {
        switch character.unicodeScalars.first?.value ?? 0 {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }

    /// Returns the beginning of a text that takes at most that many columns.
    static func prefix(_ text: String, columns most: Int) -> String {
        var used = 0
        return String(
            text.prefix { character in
                used += columns(character)
                return used <= most
            }
        )
    }

    /// Returns the text on one line, with its middle left out if it is longer than `columns`.
    ///
    /// Wide characters of East Asian scripts count as two columns.
    static func shortened(_ text: String, to columns: Int) -> String {
        let letters = text.map { $0.isNewline ? " " : $0 }
        let widths = letters.map { Self.columns($0) }
        guard widths.reduce(0, +) > columns else { return String(letters) }
        let endColumns = (columns - 1) * 2 / 5
        let startColumns = columns - 1 - endColumns
        var (start, end) = (0, letters.count)
        var used = 0
        while used + widths[start] <= startColumns {
            used += widths[start]
            start += 1
        }
        used = 0
        while used + widths[end - 1] <= endColumns {
            used += widths[end - 1]
            end -= 1
        }
        return String(letters[..<start]) + "…" + String(letters[end...])
    }
}
