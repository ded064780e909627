import Ferry
import Foundation
import TestSupport
import Testing

@testable import FerryCommand

@Suite("Time conditions")
struct TimeConditionTests {
    @Test(
        "Dates are those of HTTP or of ISO 8601, in UTC",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun, 06 Nov 1994 08:49:37 +0000", 784_111_777), ("1994-11-06T08:49:37Z", 784_111_777),
            ("1994-11-06 08:49:37", 784_111_777), ("1994-11-06", 784_080_000), ("19941106", 784_080_000),
            ("1994-13-06", nil), ("1994-11-31", nil), ("1994-11-06 24:00:00", nil), ("yesterday", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:37 +0100", nil), ("1600-12-31", nil), ("1601-01-01", -11_644_473_600),
            (String(repeating: "19941106", count: 20), nil),
        ] as [(String, Double?)]
    )
    func dates(_ text: String, _ seconds: Double?) {
        let condition = TimeCondition(parsing: text)
        #expect(condition.date?.timeIntervalSince1970 == seconds)
        #expect(condition.name == "If-Modified-Since")
        let opposite = TimeCondition(parsing: "-" + text)
        #expect(opposite.date == condition.date && opposite.name == "If-Unmodified-Since")
        #expect(TimeCondition(parsing: "+" + text) == condition)
    }

    @Test("What is not a date is a file, whose last change counts")
    func files() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("file", "text")
        let attributes = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 784_111_777)]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: file.path)
        #expect(TimeCondition(parsing: file.path).date?.timeIntervalSince1970 == 784_111_777)
        #expect(TimeCondition(parsing: "-" + file.path).date?.timeIntervalSince1970 == 784_111_777)
        #expect(TimeCondition(parsing: folder.path("missing")).date == nil)
    }

    @Test(
        "A time that no date of HTTP can express is replaced by the first or the last one",
        .enabled(if: access("/dev/shm", W_OK) == 0, "needs a file system in memory, which has such times"),
        arguments: [Int.min, -100_000_000_000, 1 << 40, Int.max]
    )
    func farTimes(_ seconds: Int) throws {
        let folder = try TemporaryFolder(in: URL(fileURLWithPath: "/dev/shm", isDirectory: true))
        let file = try folder.file("file", "text")
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, file.path, [time, time], 0) == 0)
        let date = try #require(TimeCondition(parsing: file.path).date)
        #expect(HTTPDate.parse(HTTPDate.string(from: date)) == date)
    }
}
