import FerryCore
import Foundation
import Testing

@Suite struct HTTPDateTests {
    /// 2026-01-01.
    static let now = Date(timeIntervalSince1970: 1_767_225_600)

    /// RFC 9110, section 5.6.7: the three formats; the numbers are from `date -d … +%s`.
    @Test(
        "The three formats are parsed",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199.0),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200.0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1.0),
            ("Sat, 01 Jan 2000 00:00:60 GMT", 946_684_860.0),
            ("sun, 06 NOV 1994 08:49:37 gmt", 784_111_777.0),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777.0),
            ("Wednesday, 01-Jan-70 00:00:00 GMT", 3_155_760_000.0),
            ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400.0),
            ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800.0),
            ("Sun Nov  6 08:49:37 1994", 784_111_777.0),
            ("Thu Aug 18 02:01:18 2050", 2_544_400_878.0),
            ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878.0),
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800.0),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400.0),
            ("Sun, 31 Dec 1600 00:00:00 GMT", -11_644_560_000.0),
            // A wrong day of the week does not make the date ambiguous.
            ("Fri, 18 Aug 2050 02:01:18 GMT", 2_544_400_878.0),
            ("Thu Aug  8 02:01:18 2050", 2_543_536_878.0),
        ] as [(String, Double)]
    )
    func valid(_ date: (String, Double)) {
        #expect(HTTPDate.parse(date.0, now: Self.now)?.timeIntervalSince1970 == date.1)
    }

    @Test(
        "Anything else is not a date",
        arguments: [
            "", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
            "Sun, 06 Nov -1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:a:37 GMT", "0", "-1",
            "Sun, 06 Nov 9223372036854775807 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 PST", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov--4 08:49:37 GMT",
            "Sunday, 06 Nov 94 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT+1 x",
            // Almost the first format.
            "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT", "Thu,  18 Aug 2050 02:01:18 GMT",
            "Thu,18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18  GMT", " Thu, 18 Aug 2050 02:01:18 GMT",
            "Thu, 18 Aug 2050 02:01:18 GMT ", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 02:x:01:18 GMT",
            "Thu, 18 Aug 2050 02:01:18:00 GMT", "Thu, 18 Aug 2050 02:01: 8 GMT", "Thu, 18 Aug 2050 02:01:+8 GMT",
            "Thu, 18 Aug 2050 02.01:18 GMT", "Thu, 18 Aug 2050 02:01.18 GMT", "Thu, 18 Aug +2050 02:01:18 GMT",
            "Thu, 18 Aug +205 02:01:18 GMT",
            "Thu, 8 Aug 2050 02:01:18 GMT", "Thu, +8 Aug 2050 02:01:18 GMT", "Thu, 018 Aug 2050 02:01:18 GMT",
            "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 August 2050 02:01:18 GMT", "Thu,\t18 Aug 2050 02:01:18 GMT",
            // Days that do not exist, and invalid days of the week.
            "Mon, 31 Feb 2050 00:00:00 GMT", "Tue, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
            "Sun, 31 Nov 2049 00:00:00 GMT", "Xyz, 18 Aug 2050 02:01:18 GMT", ", 18 Aug 2050 02:01:18 GMT",
            "Thursday, 18 Aug 2050 02:01:18 GMT", "Xyz Aug 18 02:01:18 2050", "18 Aug 2050 02:01:18 GMT",
            // Almost the other two formats.
            "Thu, 18-Aug-50 02:01:18 GMT", "Thursday, 8-Aug-50 02:01:18 GMT", "Thursday, 18-Aug-50 2:01:18 GMT",
            "Thu Aug 8 02:01:18 2050", "Mon Aug  8  02:01:18 2050", "Mon Aug 08 02:01:18 2050 ",
            "Thu Aug 18 02:01:18 2050 GMT", "Thursday Aug 18 02:01:18 2050", "Mon Aug   8 02:01:18 2050",
            // In 2026, the two-digit year 70 is 2070, whose first day is not a Thursday.
            "Thursday, 01-Jan-70 00:00:00 GMT",
        ]
    )
    func invalid(_ string: String) {
        #expect(HTTPDate.parse(string, now: Self.now) == nil)
    }

    @Test(
        "A two-digit year is at most 50 years ahead, also on the first and last day of the year",
        arguments: [
            (1_767_225_600.0, "76", 2076), (1_767_225_599, "76", 1976), (1_767_225_600, "77", 1977),
            (1_798_761_599, "76", 2076), (1_798_761_600, "77", 2077), (0, "21", 1921), (0, "20", 2020), (0, "70", 1970),
        ]
    )
    func shortYear(_ row: (now: Double, digits: String, year: Int)) throws {
        let now = Date(timeIntervalSince1970: row.now)
        let expected = HTTPDate.date(year: row.year, month: 1, day: 1, clock: [0, 0, 0])
        // Exactly one of the names is right.
        let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        let read = days.compactMap { HTTPDate.parse("\($0), 01-Jan-\(row.digits) 00:00:00 GMT", now: now) }
        #expect(read == [try #require(expected)])
    }

    @Test(
        "A date is written in the preferred format",
        arguments: [
            (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ]
    )
    func written(_ row: (seconds: Double, text: String)) {
        #expect(HTTPDate.string(from: Date(timeIntervalSince1970: row.seconds)) == row.text)
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
