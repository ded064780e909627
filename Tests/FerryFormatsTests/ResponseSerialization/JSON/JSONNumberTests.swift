import FerryFormats
import Foundation
import Testing

@Suite("JSON numbers")
struct JSONNumberTests {
    private func number(_ text: String) throws -> JSONNumber {
        try #require(try JSONValue(json: text).number)
    }

    @Test(
        "Equal numbers are equal however they are spelled",
        arguments: [
            ("1", "1.0"), ("1", "10e-1"), ("100", "1e2"), ("0", "-0"), ("0", "0.000e99999999999999999999"),
            ("0.5", "5E-1"), ("18446744073709551615", "1844674407370955161.5e1"),
            ("1e30", "1000000000000000000000000000000"),
            ("0.1", "0.10000"), ("12345678901234567890123456789", "12345678901234567890123456789.0"),
            ("340282366920938463463374607431768211455", "34028236692093846346337460743176821145.500e1"),
            ("340282366920938463463374607431768211455000", "340282366920938463463374607431768211455.0e3"),
            ("100000000000000000000000", "1e23"),
        ]
    )
    func equality(first: String, second: String) throws {
        #expect(try number(first) == number(second))
        #expect(try number(first).hashValue == number(second).hashValue)
    }

    @Test("Numbers that differ in their last digit are not equal")
    func difference() throws {
        #expect(try number("9007199254740993") != number("9007199254740992"))
        #expect(try number("0.12345678901234567890") != number("0.12345678901234567891"))
        #expect(try number("18446744073709551615") != number("18446744073709551616"))
    }

    @Test("Integers are converted exactly or not at all")
    func integers() throws {
        #expect(try number("9007199254740993").integer(as: Int64.self) == 9_007_199_254_740_993)
        #expect(try number("18446744073709551615").integer(as: UInt64.self) == .max)
        #expect(try number("18446744073709551615").integer(as: Int64.self) == nil)
        #expect(try number("18446744073709551616").integer(as: UInt64.self) == nil)
        #expect(try number("256").integer(as: UInt8.self) == nil)
        #expect(try number("-1").integer(as: UInt8.self) == nil)
        #expect(try number("1e2").integer(as: Int.self) == 100)
        #expect(try number("1.5").integer(as: Int.self) == nil)
        #expect(
            try number("12345678901234567890123456789").integer(as: Int128.self)
                == 12_345_678_901_234_567_890_123_456_789
        )
    }

    @Test(
        "A number that is larger than every integer type is read like any other",
        arguments: [
            "18446744073709551615e19", "-18446744073709551615e19", "17014118346046923174e19", "9e19",
            "184467440737095516150000000000000000000", "1e20", "1e300",
        ]
    )
    func large(_ text: String) throws {
        let number = try number(text)
        #expect(number.integer(as: Int64.self) == nil)
        #expect(number.integer(as: UInt64.self) == nil)
        #expect(try JSONValue(json: "[\(text)]") == .array([.number(number)]))
        let reference = Double(text) ?? 0
        #expect(number.doubleValue == reference || !reference.isFinite)
    }

    @Test(
        "Integers of 128 bits keep every digit, and are written with all of them",
        arguments: [
            "340282366920938463463374607431768211455", "340282366920938463463374607431768211454",
            "170141183460469230000000000000000000000", "100000000000000000000000000000000000001",
            "100000000000000000000000", "99999999999999991611392", "18446744073709551616", "18446744073709552000",
            "300000000000000000000000000000000000000",
        ]
    )
    func wide(_ text: String) throws {
        let value = try #require(UInt128(text))
        #expect(try number(text).integer(as: UInt128.self) == value)
        #expect(try number(text).description == text)
        #expect(try number(text) == JSONNumber(value))
        #expect(try number("-" + text).description == "-" + text)
        #expect(try number("-" + text).integer(as: Int128.self) == Int128("-" + text))
        #expect(try number("-" + text).decimalValue == Decimal(string: "-" + text))
        #expect(try JSONValue(json: text).decoded(as: UInt128.self) == value)
    }

    @Test(
        "A number with more digits than a Decimal has is the nearest Double",
        arguments: [
            "340282366920938463463374607431768211457", "1234567890123456789012345678901234567891",
            "0.1234567890123456789012345678901234567891", "340282366920938463463374607431768211456.5",
        ]
    )
    func tooLong(_ text: String) throws {
        #expect(try number(text) == JSONNumber(try #require(Double(text))))
        #expect(try number("1e300").description == "1e+300")
    }

    @Test("Decimals keep every digit of the text")
    func decimals() throws {
        #expect(try number("19.99").decimalValue?.description == "19.99")
        #expect(try number("0.1").decimalValue?.description == "0.1")
        #expect(try number("1234567890.12345678901234567").decimalValue?.description == "1234567890.12345678901234567")
        #expect(try number("3.14159265358979323846").doubleValue == 3.141592653589793)
        #expect(try number("1e300").decimalValue == nil)
        #expect(JSONNumber(Decimal.nan) == nil)
        #expect(JSONNumber(Decimal(19.5))?.doubleValue == 19.5)
    }

    @Test("Infinity and NaN are not JSON numbers")
    func nonfinite() {
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONValue(Double.nan) == .null)
        #expect(JSONNumber(Int128.max).doubleValue == Double(Int128.max))
    }

    @Test("Doubles are parsed as exactly as by the standard library")
    func doubles() throws {
        var random = SeededGenerator(7)
        for _ in 0..<20_000 {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            #expect(try number(double.description).doubleValue == double)
            let short = (double.significand * 1e6).rounded() / 1e6
            let text = "\(short)e\(Int.random(in: -320...290, using: &random))"
            #expect(try number(text).doubleValue == Double(text), "\(text)")
        }
    }
}
