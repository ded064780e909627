import Ferry

/// Indents a JSON text for people, and leaves its members in their order and its numbers as they were written.
struct JSONIndenter {
    /// A longer text is not held back, and goes on as it comes.
    static let longest = 4 << 20

    private var held = Data()
    private var isLetThrough = false

    /// Takes a piece of the text, and gives what can be shown already.
    mutating func take(_ data: Data) -> Data {
        guard !isLetThrough else { return data }
        held.append(data)
        guard held.count > Self.longest else { return Data() }
        isLetThrough = true
        defer { held = Data() }
        return held
    }

    /// Gives the rest: the whole text indented, or as it is where it is no JSON.
    mutating func finish() -> Data {
        defer { held = Data() }
        guard !isLetThrough, !held.isEmpty else { return held }
        guard (try? JSONValue(json: held, options: .fragmentsAllowed)) != nil else { return held }
        return Self.indented(held)
    }

    /// A valid text with one member or element a line, two spaces a level, and a line break at its end.
    static func indented(_ text: Data) -> Data {
        var result = Data()
        result.reserveCapacity(text.count * 2)
        var level = 0
        var isString = false
        var isEscaped = false
        /// A bracket has been opened, and whether there is something in it is not known yet.
        var isOpen = false
        func breakLine(_ level: Int) {
            result.append(UInt8(ascii: "\n"))
            result.append(contentsOf: repeatElement(UInt8(ascii: " "), count: level * 2))
        }
        for byte in text {
            if isString {
                result.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                level -= 1
                if !isOpen { breakLine(level) }
                isOpen = false
                result.append(byte)
                continue
            default: break
            }
            if isOpen { breakLine(level) }
            isOpen = false
            result.append(byte)
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: ":"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: ","): breakLine(level)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                level += 1
                isOpen = true
            default: break
            }
        }
        result.append(UInt8(ascii: "\n"))
        return result
    }
}

extension HTTPURLResponse {
    /// Whether the body says that it is JSON (RFC 8259, RFC 6839).
    var isJSON: Bool {
        guard let type = mimeType?.lowercased() else { return false }
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
