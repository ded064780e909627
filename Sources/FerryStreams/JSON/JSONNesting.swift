/// The nesting of a place of a JSON text in arrays, objects and strings.
///
/// Brackets are only counted: the decoder refuses those that do not match.
struct JSONNesting {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Whether the place is outside of arrays, objects and strings.
    var isOutside: Bool { depth == 0 && !isInString }

    mutating func advance(past byte: UInt8) {
        if isInString {
            if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
        default: break
        }
    }
}
