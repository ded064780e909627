/// A number in a JSON text, without loss of digits.
///
/// Integers are stored as 64-bit integers; other numbers as a `Double` if that preserves all their digits, and
/// otherwise as a `Decimal`: numbers of up to 38 digits, without the zeros at the end, and integers up to
/// `UInt128.max`. Any other number, and one too small or too large for a `Decimal`, is the nearest `Double`. Equal
/// numbers are equal however they were written: `1`, `1.0` and `10e-1` are the same value. So are `0` and `-0`: the
/// sign of zero is not kept.
public struct JSONNumber: Sendable, Hashable {
    package enum Storage: Sendable, Hashable {
        case integer(Int64)
        /// An integer greater than `Int64.max`.
        case unsigned(UInt64)
        /// A finite number that is not one of the integers above.
        case double(Double)
        /// A number whose digits none of the above preserves.
        case decimal(Decimal)
    }

    package let storage: Storage

    package init(_ storage: Storage) {
        self.storage = storage
    }

    /// Creates a number from an integer.
    ///
    /// - Parameter value: Any integer; one with more than 64 bits is stored as precisely as `Decimal` or `Double`
    ///   allows.
    public init(_ value: some BinaryInteger) {
        if let integer = Int64(exactly: value) {
            storage = .integer(integer)
        } else if let unsigned = UInt64(exactly: value) {
            storage = .unsigned(unsigned)
        } else {
            self = JSONNumber(literal: value.description) ?? JSONNumber(.double(Double(value)))
        }
    }

    /// Creates a number from a floating-point number.
    ///
    /// - Parameter value: A finite number; for infinity and NaN the result is nil, because JSON has no such numbers
    ///   (RFC 8259, section 6).
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        let integer = Int64(exactly: value).map(Storage.integer) ?? UInt64(exactly: value).map(Storage.unsigned)
        storage = integer ?? .double(value)
    }

    /// Creates a number from a decimal number.
    ///
    /// - Parameter value: A number; for NaN the result is nil.
    public init?(_ value: Decimal) {
        guard value.isFinite, let number = JSONNumber(literal: value.description) else { return nil }
        self = number
    }

    /// Returns the number as an integer, if it is one and in range.
    ///
    /// - Parameter type: The integer type.
    /// - Returns: The integer; nil if the number has a fraction or is out of range.
    public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        switch storage {
        case .integer(let value): Integer(exactly: value)
        case .unsigned(let value): Integer(exactly: value)
        case .double(let value): Self.isLong(value) ? Integer(description) : Integer(exactly: value)
        case .decimal(let value): Integer(value.description)
        }
    }

    /// The number as the nearest `Double`.
    public var doubleValue: Double {
        switch storage {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): Double(value.description) ?? .nan
        }
    }

    /// The number as a `Decimal` with the same digits; nil if it is out of range.
    public var decimalValue: Decimal? {
        switch storage {
        case .integer(let value): Decimal(value)
        case .unsigned(let value): Decimal(value)
        case .double(let value): Decimal(literal: value.description)
        case .decimal(let value): value
        }
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as it is written in JSON.
    public var description: String {
        switch storage {
        case .integer(let value): value.description
        case .unsigned(let value): value.description
        case .double(let value): (Self.isLong(value) ? decimalValue : nil)?.description ?? value.description
        case .decimal(let value): value.description
        }
    }

    /// Whether a `Double` is an integer of more than 64 bits and at most 39 digits, which is written with all of them.
    private static func isLong(_ value: Double) -> Bool { (0x1p63..<1e39).contains(value.magnitude) }
}
