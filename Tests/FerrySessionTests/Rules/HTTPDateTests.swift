import Foundation
import Testing

@testable import FerrySession

@Suite struct HTTPDateTests {
    /// 2026-01-01.
    static let now = Date(timeIntervalSince1970: 1_767_225_600)

    /// RFC 9110, section 5.6.7: the three forms; the numbers are from `date -d … +%s`.
    @Test(
        "The three formats are read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199.0),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200.0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1.0),
            ("Sat, 01 Jan 2000 00:00:60 GMT", 946_684_860.0),
            ("sun, 06 NOV 1994 08:49:37 gmt", 784_111_777.0),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777.0),
            ("Thursday, 01-Jan-70 00:00:00 GMT", 3_155_760_000.0),
            ("Friday, 01-Jan-76 00:00:00 GMT", 3_345_062_400.0),
            ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800.0),
            ("Sun Nov  6 08:49:37 1994", 784_111_777.0),
            ("Thu Aug 18 02:01:18 2050", 2_544_400_878.0),
        ]
    )
    func valid(_ date: (String, Double)) {
        #expect(HTTPDate.parse(date.0, now: Self.now)?.timeIntervalSince1970 == date.1)
    }

    @Test(
        "Anything else is no date",
        arguments: [
            "", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
            "Sun, 06 Nov -1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:a:37 GMT", "0", "-1",
            "Sun, 06 Nov 9223372036854775807 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 PST", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov--4 08:49:37 GMT",
            "Sunday, 06 Nov 94 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT+1 x",
        ]
    )
    func invalid(_ string: String) {
        #expect(HTTPDate.parse(string, now: Self.now) == nil)
    }

    @Test(
        "A year of two digits is at most 50 years ahead, on the year's first and last day, too",
        arguments: [
            (1_767_225_600.0, "76", 2076), (1_767_225_599, "76", 1976), (1_767_225_600, "77", 1977),
            (1_798_761_599, "76", 2076), (1_798_761_600, "77", 2077), (0, "21", 1921), (0, "20", 2020), (0, "70", 1970),
        ]
    )
    func shortYear(_ row: (now: Double, digits: String, year: Int)) throws {
        let now = Date(timeIntervalSince1970: row.now)
        let read = try #require(HTTPDate.parse("Monday, 01-Jan-\(row.digits) 00:00:00 GMT", now: now))
        #expect(read == HTTPDate.date(year: row.year, month: 1, day: 1, clock: [0, 0, 0]))
    }

    @Test("Random bytes never trap") func fuzz() {
        var random = SeededGenerator(2)
        for _ in 0..<3000 {
            _ = HTTPDate.parse("Sun, 06 Nov " + random.text(upTo: 18, from: "0123456789: GMT-"))
            _ = HTTPDate.parse(random.text(upTo: 40, from: "Sun, 06 Nov 1994 08:49:37 GMT"))
            _ = HTTPDate.parse("Sunday, " + random.text(upTo: 12, from: "0123456789-Nov") + " 08:49:37 GMT")
        }
    }
}
