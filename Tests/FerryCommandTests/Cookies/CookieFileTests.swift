import Ferry
import Foundation
import TestSupport
import Testing

@testable import FerryCommand

@Suite("Cookie files")
struct CookieFileTests {
    private static let now = Date(timeIntervalSince1970: 1_500_000_000)

    private func read(_ text: String) throws -> [HTTPCookie] {
        try CookieFile.cookies(in: Data(text.utf8), path: "f", now: Self.now)
    }

    @Test("A file is read as curl writes it, and written again")
    func roundTrip() throws {
        let lines = [
            "#HttpOnly_.example.com\tTRUE\t/a\tTRUE\t2000000000\tname\tvalue; with = signs",
            "host.example\tFALSE\t/\tFALSE\t0\tsession\t",
        ]
        let text =
            "# Netscape HTTP Cookie File\r\n\n" + lines.joined(separator: "\r\n")
            + "\nold.example\tFALSE\t/\tFALSE\t1400000000\told\tx\n"
        let cookies = try read(text)
        #expect(cookies.map(\.name) == ["name", "session"])
        #expect(cookies[0].domain == ".example.com" && cookies[0].isSecure && cookies[0].isHTTPOnly)
        #expect(cookies[0].expiresDate == Date(timeIntervalSince1970: 2_000_000_000))
        #expect(cookies[1].domain == "host.example" && cookies[1].expiresDate == nil && cookies[1].value.isEmpty)
        let written = CookieFile.text(of: cookies)
        #expect(written.omitted == 0)
        #expect(Array(written.text.split(separator: "\n").dropFirst(2)) == lines.map { $0[...] })
        #expect(try read(written.text).map(\.name) == ["name", "session"])
    }

    @Test(
        "A line that is not a cookie is named, without its value",
        arguments: [
            ("# c\nx=s3cret", "f, line 2: a cookie has 7 fields separated by tabs, not 1"),
            ("a\tb\t/\tFALSE\t0\tn\ts3cret", "f, line 1: the second field is neither TRUE nor FALSE"),
            ("a\tTRUE\t/\tno\t0\tn\ts3cret", "f, line 1: the fourth field is neither TRUE nor FALSE"),
            ("a\tTRUE\t/\tFALSE\tsoon\tn\ts3cret", "f, line 1: the time of expiry is not a number"),
            ("a\tTRUE\t/\tFALSE\t-1\tn\ts3cret", "f, line 1: the time of expiry is not a number"),
            ("\tTRUE\t/\tFALSE\t0\tn\ts3cret", "f, line 1: the domain is missing"),
            ("a\tTRUE\t/\tFALSE\t0\tn\ts3\u{1}cret", "f, line 1: a field has a control character"),
            ("a\tTRUE\t/\tFALSE\t0\tn\ts3cret\tx", "f, line 1: a cookie has 7 fields separated by tabs, not 8"),
        ]
    )
    func invalid(_ text: String, _ message: String) {
        #expect(throws: CommandFailure(.file, message)) { try read(text) }
    }

    @Test("The largest time is the end of the year 9999, and a missing file is no error")
    func limits() throws {
        let cookies = try read("a\tFALSE\t/\tFALSE\t9223372036854775807\tn\tv")
        #expect(cookies.first?.expiresDate == Date(timeIntervalSince1970: 253_402_300_799))
        #expect(try CookieFile.read("/nonexistent/file") == nil)
        #expect(throws: CommandFailure.self) { try CookieFile.read("/tmp") }
        #expect(throws: CommandFailure(.file, "/dev/zero: it has more than 16777216 bytes")) {
            try CookieFile.read("/dev/zero")
        }
    }

    @Test("A file is replaced in one step through a link, and only its owner can read it")
    func writing() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "jar")
        try CookieFile.write("old", to: folder.path("link"))
        #expect(folder.text("jar") == "old")
        try CookieFile.write("new", to: folder.path("link"))
        #expect(folder.text("jar") == "new" && folder.names == ["jar", "link"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == "jar")
        // A file that another process is writing is not touched.
        try folder.file("jar.ferry.new", "half")
        try CookieFile.write("new", to: folder.path("jar"))
        #expect(folder.text("jar.ferry.new") == "half")
        unlink(folder.path("jar.ferry.new"))
        var info = stat()
        #expect(stat(folder.path("jar"), &info) == 0 && info.st_mode & 0o777 == 0o600)
        #expect(throws: CommandFailure.self) { try CookieFile.write("x", to: folder.path("missing/jar")) }
        try CookieFile.write("x", to: "/dev/null")
        #expect(folder.names == ["jar", "link"])
    }
}
