import Foundation
import Testing

@testable import FerrySession

@Suite struct HTTPDateTests {
    /// RFC 9110, section 5.6.7: the IMF-fixdate form; the numbers are from `date -d … +%s`.
    @Test(
        "The preferred format is read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199.0),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200.0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1.0),
            ("Sat, 01 Jan 2000 00:00:60 GMT", 946_684_860.0),
        ]
    )
    func valid(_ date: (String, Double)) {
        #expect(HTTPDate.parse(date.0)?.timeIntervalSince1970 == date.1)
    }

    @Test(
        "Anything else is no date",
        arguments: [
            "", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
            "Sun, 06 Nov -1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:a:37 GMT", "0", "-1",
            "Sun, 06 Nov 9223372036854775807 08:49:37 GMT",
        ]
    )
    func invalid(_ string: String) {
        #expect(HTTPDate.parse(string) == nil)
    }

    @Test("Random bytes never trap") func fuzz() {
        var random = SeededGenerator(2)
        for _ in 0..<3000 {
            _ = HTTPDate.parse("Sun, 06 Nov " + random.text(upTo: 18, from: "0123456789: GMT-"))
            _ = HTTPDate.parse(random.text(upTo: 40, from: "Sun, 06 Nov 1994 08:49:37 GMT"))
        }
    }
}
