import Ferry

/// Indents a JSON text for people; the order of members and the notation of numbers are kept.
struct JSONIndenter {
    /// The largest size in bytes of a text that is indented; a longer one is passed on unchanged as it arrives.
    static let longest = 4 << 20

    private let style: TextStyle
    private var held = Data()
    private var isLetThrough = false

    init(style: TextStyle = TextStyle()) { self.style = style }

    /// Adds a piece of the text and returns the bytes that can already be shown.
    mutating func take(_ data: Data) -> Data {
        guard !isLetThrough else { return data }
        held.append(data)
        guard held.count > Self.longest else { return Data() }
        isLetThrough = true
        defer { held = Data() }
        return held
    }

    /// Returns the rest: the whole text indented, or unchanged if it is not valid JSON or would become much longer.
    mutating func finish() -> Data {
        defer { held = Data() }
        guard !isLetThrough, !held.isEmpty else { return held }
        guard (try? JSONValue(json: held, options: .fragmentsAllowed)) != nil else { return held }
        return Self.indented(held, style)
    }
}

extension HTTPURLResponse {
    /// Whether the content type is JSON (RFC 8259, RFC 6839).
    var isJSON: Bool {
        guard let type = mimeType?.lowercased() else { return false }
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}

extension JSONIndenter {
    /// Returns a valid JSON text with one member or element per line, two spaces per level, and a final line break.
    ///
    /// Names and strings have the style's colours. A text that would take eight times its bytes, and over a mebibyte,
    /// is returned unchanged: the indentation of many elements at a great depth has no bound otherwise.
    static func indented(_ text: Data, _ style: TextStyle = TextStyle()) -> Data {
        let most = max(1 << 20, text.count * 8)
        var walk = Walk(style: style, capacity: text.count * 2)
        for byte in text {
            walk.take(byte)
            if walk.result.count > most { return text }
        }
        walk.result.append(UInt8(ascii: "\n"))
        return walk.result
    }

    /// The position in the text, and the output so far.
    private struct Walk {
        var result = Data()
        private let nameMark: Data
        private let textMark: Data
        private let endMark: Data
        /// The open brackets: `true` for an object, `false` for an array.
        private var objects: [Bool] = []
        private var isString = false
        private var isEscaped = false
        /// Whether the position is in a member's value, after its colon.
        private var isValue = false
        /// Whether a bracket has just been opened, so that its array or object may be empty.
        private var isOpen = false

        init(style: TextStyle, capacity: Int) {
            result.reserveCapacity(capacity)
            let mark = "x"
            func start(_ styled: String) -> Data { Data(styled.prefix { $0 != "x" }.utf8) }
            nameMark = start(style.accent(mark))
            textMark = start(style.green(mark))
            endMark = Data(style.green(mark).drop { $0 != "x" }.dropFirst().utf8)
        }

        mutating func take(_ byte: UInt8) {
            if isString { return takeText(byte) }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): return
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = objects.popLast()
                if !isOpen { breakLine() }
                isOpen = false
                return result.append(byte)
            default: break
            }
            if isOpen { breakLine() }
            isOpen = false
            if byte == UInt8(ascii: "\"") {
                isString = true
                result.append(objects.last == true && !isValue ? nameMark : textMark)
            }
            result.append(byte)
            takeMark(byte)
        }

        private mutating func takeMark(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: ":"):
                isValue = true
                result.append(UInt8(ascii: " "))
            case UInt8(ascii: ","):
                isValue = false
                breakLine()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                objects.append(byte == UInt8(ascii: "{"))
                (isOpen, isValue) = (true, false)
            default: break
            }
        }

        private mutating func takeText(_ byte: UInt8) {
            result.append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isString = false
                result.append(endMark)
            }
        }

        private mutating func breakLine() {
            result.append(UInt8(ascii: "\n"))
            result.append(contentsOf: repeatElement(UInt8(ascii: " "), count: objects.count * 2))
        }
    }
}
