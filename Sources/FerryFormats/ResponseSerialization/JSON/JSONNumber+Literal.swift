extension JSONNumber {
    /// Creates a number from its text in JSON (RFC 8259, section 6); nil if it is invalid or too large for a `Double`.
    package init?(literal: String) {
        var literal = literal
        let number = literal.withUTF8 { bytes -> JSONNumber? in
            guard let parts = Parts(bytes), parts.length == bytes.count else { return nil }
            return JSONNumber(parts, text: UnsafeRawBufferPointer(bytes))
        }
        guard let number else { return nil }
        self = number
    }

    /// Creates a number from the parts of its text, with the type that preserves all its digits.
    package init?(_ parts: Parts, text: UnsafeRawBufferPointer) {
        if let integer = parts.integer {
            self.init(integer)
            return
        }
        if let double = parts.exactDouble {
            self.init(double)
            return
        }
        let string = String(decoding: text, as: UTF8.self)
        guard let double = Double(string), double.isFinite else { return nil }
        // Fifteen digits always survive the conversion to a Double and back. Doubles are written with up to seventeen.
        // A Decimal has 38, and an integer 39 up to UInt128.max; it drops the last digit of a greater number.
        if parts.digits > 15, parts.digits <= (parts.exponent == 0 ? 39 : 38), let decimal = Decimal(literal: string),
            decimal != Decimal(literal: double.description), parts.digits < 39 || decimal.exponent == 0
        {
            self.init(.decimal(decimal))
        } else {
            self.init(double)
        }
    }

    /// The parts of a number's text; its value is ±mantissa × 10^exponent.
    package struct Parts {
        /// Whether the text begins with a minus sign.
        package private(set) var isNegative = false
        /// The digits from the first to the last nonzero one, as far as they fit.
        package private(set) var mantissa: UInt64 = 0
        /// Whether all digits are in the mantissa.
        package private(set) var isExact = true
        /// The number of digits from the first to the last nonzero one.
        package private(set) var digits = 0
        /// The exponent of the power of ten.
        package private(set) var exponent = 0
        /// The length of the number's text in bytes.
        package private(set) var length = 0
    }
}

extension JSONNumber.Parts {
    /// Reads a number from the start of a text; nil if there is none.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var position = 0
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") {
            isNegative = true
            position += 1
        }
        guard let first = Self.digit(bytes, position) else { return nil }
        var zeros = 0
        func take(_ digit: UInt8, fraction: Bool, into parts: inout Self) {
            if fraction { parts.exponent -= 1 }
            guard digit != 0 else {
                zeros += parts.digits > 0 ? 1 : 0
                return
            }
            // Zeros count as digits only once another digit follows them.
            for _ in 0..<zeros where parts.isExact { parts.append(0) }
            parts.append(digit)
            parts.digits += zeros + 1
            zeros = 0
        }
        if first == 0 {
            position += 1
        } else {
            while let digit = Self.digit(bytes, position) {
                take(digit, fraction: false, into: &self)
                position += 1
            }
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard Self.digit(bytes, position) != nil else { return nil }
            while let digit = Self.digit(bytes, position) {
                take(digit, fraction: true, into: &self)
                position += 1
            }
        }
        exponent += zeros
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            guard let written = Self.exponent(bytes, &position) else { return nil }
            exponent += written
        }
        length = position
    }

    private mutating func append(_ digit: UInt8) {
        let (tenfold, isTooLarge) = mantissa.multipliedReportingOverflow(by: 10)
        let (sum, overflows) = tenfold.addingReportingOverflow(UInt64(digit))
        isExact = isExact && !isTooLarge && !overflows
        if isExact { mantissa = sum }
    }

    private static func exponent(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Int? {
        position += 1
        var sign = 1
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
            sign = bytes[position] == UInt8(ascii: "-") ? -1 : 1
            position += 1
        }
        guard digit(bytes, position) != nil else { return nil }
        var value = 0
        while let digit = digit(bytes, position) {
            // Beyond the range of every number type, so that further digits change nothing.
            value = min(value * 10 + Int(digit), 1_000_000)
            position += 1
        }
        return sign * value
    }

    private static func digit(_ bytes: UnsafeBufferPointer<UInt8>, _ position: Int) -> UInt8? {
        guard position < bytes.count else { return nil }
        let digit = bytes[position] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    /// The number as an integer of at most 64 bits, or nil.
    fileprivate var integer: Int128? {
        guard isExact, exponent >= 0 || digits == 0 else { return nil }
        guard digits > 0 else { return 0 }
        guard exponent <= 19 else { return nil }
        var value = Int128(mantissa)
        for _ in 0..<exponent {
            let (tenfold, overflows) = value.multipliedReportingOverflow(by: 10)
            if overflows { return nil }
            value = tenfold
        }
        if isNegative { value = -value }
        return value >= Int128(Int64.min) && value <= Int128(UInt64.max) ? value : nil
    }

    /// The number as a Double if one operation suffices: both operands are exact, so the result is rounded only once.
    fileprivate var exactDouble: Double? {
        guard digits <= 15, (-22...22).contains(exponent) else { return nil }
        let factor = Self.powersOfTen[abs(exponent)]
        let value = exponent < 0 ? Double(mantissa) / factor : Double(mantissa) * factor
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

extension Decimal {
    /// Reads a number with a decimal point regardless of the user's locale; nil if it is out of range.
    package init?(literal: String) {
        guard let value = Decimal(string: literal, locale: nil), value.isFinite else { return nil }
        self = value
    }
}
