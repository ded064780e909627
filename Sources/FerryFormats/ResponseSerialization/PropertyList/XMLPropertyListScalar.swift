/// Parses the numbers, dates and data of an XML property list.
package enum XMLPropertyListScalar {
    package typealias Content = Slice<UnsafeBufferPointer<UInt8>>

    /// Returns the value of an element with a number, a date or data; nil if the content is not valid.
    package static func value(of content: Content, in element: XMLPropertyListTag.Element) -> PropertyListValue? {
        switch element {
        case .integer: integer(content)
        case .real: real(content)
        case .date: date(content)
        case .data: data(content)
        default: nil
        }
    }

    /// Returns a decimal or hexadecimal integer of at most 64 bits; white space may follow its sign.
    private static func integer(_ content: Content) -> PropertyListValue? {
        var digits = content
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") {
            digits = digits.dropFirst().drop(while: XMLPropertyListScanner.isWhitespace)
        }
        var radix = 10
        if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
            radix = 16
            digits = digits.dropFirst(2)
        }
        // The integer's own initializer also reads a sign.
        guard let first = digits.first, Character(Unicode.Scalar(first)).isHexDigit,
            let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
        else { return nil }
        guard isNegative else {
            return magnitude > UInt64(Int64.max) ? .unsigned(magnitude) : .integer(Int64(magnitude))
        }
        return magnitude > Int64.min.magnitude ? nil : .integer(Int64(bitPattern: 0 &- magnitude))
    }

    /// Returns a decimal number, infinity or NaN; a number that is too large is infinity.
    private static func real(_ content: Content) -> PropertyListValue? {
        // No number needs so many digits.
        guard content.count <= 1_024 else { return nil }
        let text = String(decoding: content, as: UTF8.self)
        // Double also reads numbers in hexadecimal and other words.
        let isDecimal = content.allSatisfy { $0.isDigit || "+-.eE".utf8.contains($0) }
        if isDecimal { return Double(text).map(PropertyListValue.real) }
        switch text.lowercased() {
        case "nan": return .real(.nan)
        case "inf", "+inf", "infinity", "+infinity": return .real(.infinity)
        case "-inf", "-infinity": return .real(-.infinity)
        default: return nil
        }
    }

    /// Returns the date of a text such as `2001-02-03T04:05:06Z`; years have up to six digits.
    private static func date(_ content: Content) -> PropertyListValue? {
        let text = Array(content)
        let rest = Array(text.suffix(16))
        guard (17...22).contains(text.count), let year = number(text.dropLast(16)), year > 0 else { return nil }
        let separators = stride(from: 0, to: 16, by: 3).map { rest[$0] }
        let numbers = stride(from: 1, to: 15, by: 3).compactMap { number(rest[$0..<$0 + 2]) }
        guard separators.elementsEqual("--T::Z".utf8), numbers.count == 5, numbers[2] < 24, numbers[3] < 60,
            // A leap second may be the last one of a day.
            numbers[4] <= 60
        else { return nil }
        return HTTPDate.date(year: year, month: numbers[0], day: numbers[1], clock: Array(numbers[2...])).map(
            PropertyListValue.date
        )
    }

    /// Returns the number with the given decimal digits, which are few; nil for other characters.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(\.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Returns data in base64, with white space anywhere.
    private static func data(_ content: Content) -> PropertyListValue? {
        let digits = Data(content.filter { !XMLPropertyListScanner.isWhitespace($0) })
        return digits.isEmpty ? .data(Data()) : Data(base64Encoded: digits).map(PropertyListValue.data)
    }
}
