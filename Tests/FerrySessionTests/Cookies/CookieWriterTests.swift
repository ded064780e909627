import FerryTesting
import Testing

@testable import FerrySession

@Suite("Writing cookies", .ownThreads, .timeLimit(.minutes(2)))
struct CookieWriterTests {
    /// A storage as slow as one on disk: only the first change does not wait for the gate.
    private final class SlowStorage: CookieStoring, Sendable {
        private let stored: Watched<[String: HTTPCookie]>
        private let gate = DispatchSemaphore(value: 1)
        /// The names of the cookies that were deleted.
        let deleted = Watched<[String]>([])
        /// Is called before a cookie is stored.
        let willStore = Watched<(@Sendable () -> Void)?>(nil)

        init(_ cookies: [HTTPCookie] = []) {
            stored = Watched(Dictionary(uniqueKeysWithValues: cookies.map { ($0.name, $0) }))
        }

        func open() {
            for _ in 0..<1_000 { gate.signal() }
        }

        var cookies: [HTTPCookie]? { stored.change { Array($0.values) } }

        func setCookie(_ cookie: HTTPCookie) {
            gate.wait()
            willStore.current?()
            stored.change { $0[cookie.name] = cookie }
        }

        func deleteCookie(_ cookie: HTTPCookie) {
            gate.wait()
            stored.change { $0[cookie.name] = nil }
            deleted.append(cookie.name)
        }
    }

    private func cookies(_ range: Range<Int>, _ value: String = "v") -> [HTTPCookie] {
        range.compactMap { HTTPCookie(properties: [.name: "n\($0)", .value: value, .domain: "e.com", .path: "/"]) }
    }

    private func text(_ cookies: [HTTPCookie]?) -> [String] {
        (cookies ?? []).map { "\($0.name)=\($0.value)" }.sorted()
    }

    private func written(_ writer: CookieWriter) async {
        await withCheckedContinuation { continuation in writer.afterWriting { continuation.resume() } }
    }

    @Test("A slow storage blocks no caller, and pending changes are already visible")
    func slow() async {
        let storage = SlowStorage(cookies(0..<2))
        let writer = CookieWriter(storage, budget: 0)
        writer.apply(.init(removed: cookies(0..<1), stored: cookies(10..<20)), to: writer.known)
        #expect(text(writer.known.cookies.all) == text(cookies(1..<2) + cookies(10..<20)))
        // Some pending and some stored cookies are replaced or removed.
        let known = writer.known
        writer.apply(.init(removed: cookies(1..<2) + cookies(10..<12), stored: cookies(12..<13, "w")), to: known)
        writer.apply(.init(removed: [], stored: cookies(10..<11, "x")), to: writer.known)
        let expected = text(cookies(10..<11, "x") + cookies(12..<13, "w") + cookies(13..<20))
        #expect(text(writer.known.cookies.all) == expected)
        #expect(text(storage.cookies) != expected)
        storage.open()
        await written(writer)
        #expect(text(storage.cookies) == expected)
        #expect(text(writer.known.cookies.all) == expected)
    }

    @Test("After a slow write the next change does not wait for its own")
    func slowBefore() async throws {
        let storage = SlowStorage()
        let writer = CookieWriter(storage, budget: 0)
        writer.apply(.init(stored: cookies(0..<1)), to: writer.known)
        #expect(text(storage.cookies) == text(cookies(0..<1)))
        let hasReturned = Watched(false)
        Thread.detachNewThread { [self] in
            writer.apply(.init(stored: cookies(1..<2)), to: writer.known)
            hasReturned.change { $0 = true }
        }
        try await hasReturned.wait { $0 }
        #expect(text(writer.known.cookies.all) == text(cookies(0..<2)))
        storage.open()
        await written(writer)
        #expect(text(storage.cookies) == text(cookies(0..<2)))
    }

    @Test("A handler waits for cookies that another thread is writing, and for those behind them")
    func handlerDuringImmediateWrite() async throws {
        let storage = SlowStorage()
        let writer = CookieWriter(storage, budget: 60_000_000_000)
        Thread.detachNewThread { [self] in writer.apply(.init(stored: cookies(0..<10)), to: (CookieIndex(), 0)) }
        try await eventually("the first cookie") { storage.cookies?.isEmpty == false }
        let written = Watched<[Int]>([])
        writer.afterWriting { written.append(storage.cookies?.count ?? 0) }
        writer.apply(.init(stored: cookies(10..<20)), to: writer.known)
        // No event announces that a handler is not called.
        try await Task.sleep(for: .milliseconds(100))
        #expect(written.current.isEmpty)
        storage.open()
        #expect(try await written.first() == 20)
    }

    @Test("A cookie that is removed while it waits is deleted from the storage only if an earlier one is there")
    func removedWhileWaiting() async {
        let storage = SlowStorage(cookies(0..<1))
        let writer = CookieWriter(storage, budget: 0)
        func change(_ removed: Range<Int>, _ stored: Range<Int>) {
            writer.apply(.init(removed: cookies(removed), stored: cookies(stored, "w")), to: writer.known)
        }
        // The first change is written immediately, and the second one waits for the gate.
        change(0..<0, 1..<3)
        change(0..<0, 20..<22)
        change(20..<22, 0..<2)
        change(0..<2, 20..<21)
        change(20..<21, 0..<0)
        #expect(text(writer.known.cookies.all) == text(cookies(2..<3, "w")))
        storage.open()
        await written(writer)
        #expect(text(storage.cookies) == text(cookies(2..<3, "w")))
        #expect(storage.deleted.current.sorted() == ["n0", "n1"])
    }

    @Test("Discarded cookies are not written")
    func discard() async {
        let storage = SlowStorage()
        let writer = CookieWriter(storage, budget: 0)
        writer.apply(.init(stored: cookies(0..<50)), to: (CookieIndex(), 0))
        writer.discard()
        // One cookie was written before, and another one may be in progress.
        #expect(writer.known.cookies.count <= 2)
        storage.open()
        writer.apply(.init(stored: cookies(60..<61)), to: writer.known)
        await written(writer)
        // One cookie was written immediately, and another one was in progress.
        #expect((storage.cookies ?? []).count <= 3)
        #expect(text(storage.cookies).contains("n60=v"))
    }

    @Test("A cookie that is being written when cookies are discarded is deleted again")
    func discardedWhileWritten() {
        let storage = SlowStorage()
        storage.open()
        let writer = CookieWriter(storage, budget: 60_000_000_000)
        storage.willStore.change { $0 = { [weak writer] in writer?.discard() } }
        writer.apply(.init(stored: cookies(0..<3)), to: (CookieIndex(), 0))
        #expect(storage.cookies?.isEmpty == true)
        #expect(storage.deleted.current.count == 1)
    }

    @Test("A fast storage has all cookies when the response is delivered")
    func fast() {
        let storage = SlowStorage()
        storage.open()
        let writer = CookieWriter(storage, budget: 60_000_000_000)
        writer.apply(.init(stored: cookies(0..<100)), to: (CookieIndex(), 0))
        #expect(text(storage.cookies) == text(cookies(0..<100)))
    }

    @Test("Cookies that were read before they were discarded do not come back")
    func discardedMeanwhile() throws {
        let storage = SlowStorage(cookies(0..<2))
        storage.open()
        let writer = CookieWriter(storage, budget: 0)
        let known = writer.known
        for cookie in cookies(0..<2) { storage.deleteCookie(cookie) }
        writer.discard()
        writer.apply(.init(removed: cookies(0..<1), stored: cookies(10..<20)), to: known)
        #expect(text(writer.known.cookies.all) == text(cookies(10..<20)))
    }
}
