import Foundation
import Testing

@testable import FerryTesting

struct HTTPDateTests {
    @Test(
        "A date is converted to text and back",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ]
    ) func text(seconds: Int, text: String) {
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        #expect(HTTPDate.string(from: date) == text)
        #expect(HTTPDate.date(from: text) == date)
    }

    @Test(
        "Other forms are not dates",
        arguments: [
            "", "now", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov -2147483648 08:49:37 GMT",
        ]
    ) func malformed(text: String) {
        #expect(HTTPDate.date(from: text) == nil)
    }
}
