import Foundation
import Testing

@testable import FerryTesting

struct ResponseFramingTests {
    private func framing(
        _ response: LoopbackResponse,
        method: String = "GET",
        isVersion10: Bool = false
    ) -> ResponseFraming {
        ResponseFraming(of: response, method: method, isVersion10: isVersion10)
    }

    @Test("A known length is announced, and an unknown one is chunked") func lengths() {
        #expect(framing(.text("abc")) == .length(3))
        #expect(framing(.pattern(count: 5)) == .length(5))
        #expect(framing(.stream { _ in }) == .chunked)
        #expect(framing(.stream { _ in }, isVersion10: true) == .untilClose)
        #expect(framing(LoopbackResponse(body: .chunked([Data([1])]))) == .chunked)
        #expect(framing(.text("abc").framed(.chunked)) == .chunked)
        #expect(framing(.text("abc").framed(.chunked), isVersion10: true) == .untilClose)
        #expect(framing(.text("abc").framed(.untilClose)) == .untilClose)
    }

    @Test("HEAD announces what GET would send") func head() {
        #expect(framing(.text("abc"), method: "HEAD") == .none(announcedLength: 3))
        #expect(framing(.stream { _ in }, method: "HEAD") == .none(announcedLength: nil))
        #expect(framing(.text("abc").adding("Content-Length", "9"), method: "HEAD") == .none(announcedLength: nil))
    }

    @Test("204 and 304 have no body and no length", arguments: [204, 304]) func bodiless(status: Int) {
        #expect(framing(.text("abc", statusCode: status)) == .none(announcedLength: nil))
    }

    @Test("A response's own length is kept, and only a correct one allows reuse") func own() {
        #expect(framing(.text("abc").adding("content-length", "3")) == .asWritten(matches: true))
        #expect(framing(.text("abc").adding("content-length", "4")) == .asWritten(matches: false))
        #expect(framing(.text("abc").adding("transfer-encoding", "chunked")) == .asWritten(matches: false))
        #expect(ResponseFraming.asWritten(matches: true).allowsReuse)
        #expect(!ResponseFraming.asWritten(matches: false).allowsReuse)
        #expect(!ResponseFraming.untilClose.allowsReuse)
    }
}
