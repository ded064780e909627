import Foundation
import Testing

@testable import FerrySession

/// Which requests use HTTP/3 because the server has announced it.
@Suite struct AnnouncedHTTP3Tests {
    private let origin = Origin(scheme: "https", name: "example.org", port: 443)
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func after(_ seconds: Double) -> MonotonicTime { start.advanced(by: TimeSpan(seconds: seconds)) }

    private func head(_ fields: [(String, String)]) -> ResponseHead {
        ResponseHead(version: "HTTP/2", status: 200, fields: fields.map { .init(name: $0.0, value: $0.1) })
    }

    @Test(
        "Only HTTP/3 on the origin's own host and port is used",
        arguments: [
            (#"h3=":443""#, true), (#"h2=":443", h3=":443"; ma=10"#, true), (#"h3="example.org:443""#, true),
            (#"h3="EXAMPLE.org:443""#, true), (#"h3=":8443""#, false), (#"h3="other.example:443""#, false),
            (#"h3="www.example.org:443""#, false), (#"h2=":443""#, false), (#"h3-29=":443""#, false),
            (#"H3=":443""#, false), (#"h3=":443"; ma=0"#, false), ("clear", false), ("nonsense", false),
        ]
    )
    func services(_ value: String, _ isUsed: Bool) {
        var announced = AnnouncedHTTP3()
        announced.note(head([("alt-svc", value)]), of: origin, at: start)
        #expect(announced.contains(origin, at: after(1)) == isUsed)
        #expect(!announced.contains(Origin(scheme: "https", name: "example.org", port: 8443), at: after(1)))
        #expect(!announced.contains(Origin(scheme: "http", name: "example.org", port: 443), at: after(1)))
    }

    @Test("An announcement ends with its age, and is replaced by a later one")
    func age() {
        var announced = AnnouncedHTTP3()
        announced.note(head([("Alt-Svc", #"h3=":443"; ma=100"#), ("Age", "30")]), of: origin, at: start)
        #expect(announced.contains(origin, at: after(69)))
        #expect(!announced.contains(origin, at: after(70)))
        announced.note(head([]), of: origin, at: start)
        announced.note(head([("Alt-Svc", "not valid")]), of: origin, at: start)
        #expect(announced.contains(origin, at: after(1)))
        announced.note(head([("Alt-Svc", #"h2=":443""#), ("Alt-Svc", #"h3=":443"; ma=5"#)]), of: origin, at: start)
        #expect(announced.contains(origin, at: after(4)))
        #expect(!announced.contains(origin, at: after(5)))
        announced.note(head([("Alt-Svc", #"h3=":443"; ma=9999999999999"#)]), of: origin, at: start)
        #expect(announced.contains(origin, at: after(31_535_999)))
        #expect(!announced.contains(origin, at: after(31_536_000)))
        announced.note(head([("Alt-Svc", #"h3=":443"; ma=100"#), ("Age", "100")]), of: origin, at: start)
        #expect(announced.count == 0)
    }

    @Test("HTTP/3 that did not work is avoided for a time, whatever is announced meanwhile")
    func failure() {
        var announced = AnnouncedHTTP3()
        announced.noteFailure(of: origin, at: start)
        #expect(announced.count == 0)
        let head = head([("Alt-Svc", #"h3=":443"; ma=1000"#)])
        announced.note(head, of: origin, at: start)
        announced.noteFailure(of: origin, at: start)
        announced.note(head, of: origin, at: after(1))
        #expect(!announced.contains(origin, at: after(299)))
        #expect(announced.contains(origin, at: after(300)))
    }

    @Test("The number of origins is limited, and the one that ends first is replaced")
    func limit() {
        var announced = AnnouncedHTTP3()
        for index in 0...AnnouncedHTTP3.maximumCount {
            let origin = Origin(scheme: "https", name: "host\(index)", port: 443)
            let seconds = index == 7 ? 10 : 1_000 + index
            announced.note(head([("Alt-Svc", "h3=\":443\"; ma=\(seconds)")]), of: origin, at: start)
        }
        #expect(announced.count == AnnouncedHTTP3.maximumCount)
        #expect(!announced.contains(Origin(scheme: "https", name: "host7", port: 443), at: after(1)))
        #expect(announced.contains(Origin(scheme: "https", name: "host0", port: 443), at: after(1)))
    }
}
