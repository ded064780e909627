import Ferry
import FerryTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Examples

@Suite("Example: crawler", .timeLimit(.minutes(2)))
struct CrawlerTests {
    private static func page(_ links: [String]) -> LoopbackResponse {
        let anchors = links.map { "<a class=x href=\"\($0)\">there</a>" }.joined()
        return .data(Data("<html><body>\(anchors)</body></html>".utf8), contentType: "text/html; charset=utf-8")
    }

    private static func crawler(maximumConcurrency: Int = 8, pause: TimeInterval = 0) -> Crawler {
        Crawler(configuration: .ephemeral, maximumConcurrency: maximumConcurrency, pause: pause)
    }

    @Test("Each page is fetched once, links are resolved, and other content is not parsed")
    func visitsOnce() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/": Self.page(["/a/", "b#top", "/old", "mailto:ada@example.com", "#here"])
            case "/a/": Self.page(["c", "/", "../b"])
            case "/b", "/new/": Self.page(["../a/c", "d"])
            case "/old": .redirect(to: "/new/")
            case "/a/c": .data(Data("%PDF".utf8), contentType: "application/pdf")
            default: .status(404)
            }
        }
        let pages = try await collect(Self.crawler(), from: server.url)
        let paths = pages.map { Self.path($0.url) }.sorted()
        #expect(paths == ["/", "/a/", "/a/c", "/b", "/d", "/new/d", "/old"])
        #expect(server.requests.map(\.target).sorted() == ["/", "/a/", "/a/c", "/b", "/d", "/new/", "/new/d", "/old"])
        let failed = pages.filter { $0.error != nil }.map { Self.path($0.url) }.sorted()
        #expect(failed == ["/a/c", "/d", "/new/d"])
    }

    @Test("The limits on concurrent requests and on pages are respected")
    func limits() async throws {
        let now = Atomic(0)
        let most = Atomic(0)
        let server = try LoopbackServer { request in
            let count = now.add(1, ordering: .sequentiallyConsistent).newValue
            most.max(count, ordering: .sequentiallyConsistent)
            usleep(20_000)
            now.subtract(1, ordering: .sequentiallyConsistent)
            return Self.page((0..<10).map { "\(request.path)\($0)/" })
        }
        var crawler = Self.crawler(maximumConcurrency: 3)
        crawler.maximumPages = 40
        let pages = try await collect(crawler, from: server.url)
        #expect(pages.count == 40 && server.requestCount == 40)
        #expect(Set(pages.map(\.url)).count == 40)
        let atOnce = most.load(ordering: .sequentiallyConsistent)
        #expect((2...3).contains(atOnce), "\(atOnce)")
    }

    @Test("Requests to one host are paced, and another host does not wait for them")
    func politeness() async throws {
        let server = try LoopbackServer { _ in Self.page([]) }
        let seeds = (0..<4).map { server.url("/\($0)") }
        let start = ContinuousClock.now
        try await Self.crawler(pause: 0.2).crawl(from: seeds) { _ in }
        #expect(ContinuousClock.now - start >= .milliseconds(600))
        #expect(server.requestCount == 4)
        // The second request to a host would be sent after minutes, and does not delay requests to other hosts.
        struct Enough: Error {}
        let crawler = Self.crawler(maximumConcurrency: 1, pause: 600)
        server.reset()
        let count = Atomic(0)
        await #expect(throws: Enough.self) {
            try await crawler.crawl(from: seeds + [server.url("/other", host: "localhost")]) { _ in
                if count.add(1, ordering: .relaxed).newValue == 2 { throw Enough() }
            }
        }
        #expect(server.requestCount == 2)
        #expect(server.requests.map(\.target).contains("/other"))
    }

    @Test("An error thrown by the visitor ends the crawl and all its requests")
    func visitorThrows() async throws {
        struct Enough: Error {}
        let server = try LoopbackServer { request in
            request.path == "/" ? Self.page(["/1"]) : Self.page([]).faulted(.stallBeforeHead)
        }
        var crawler = Self.crawler()
        crawler.follows = { $0.path != "/never" }
        await #expect(throws: Enough.self) {
            try await crawler.crawl(from: ["/slow", "/never", "/"].map { server.url($0) }) { _ in throw Enough() }
        }
        // The connection of the page that arrived is idle.
        try await server.waitForOpenConnections(atMost: 1, timeout: 40 * patience)
        #expect(!server.requests.map(\.target).contains("/never"))
    }

    @Test("Cancelling the Swift task cancels the running requests")
    func cancelled() async throws {
        let server = try LoopbackServer { _ in Self.page([]).faulted(.stallBeforeHead) }
        let crawl = Task {
            try await Self.crawler().crawl(from: [server.url("/1"), server.url("/2")]) { _ in }
        }
        try await server.waitForRequests(2, timeout: 40 * patience)
        crawl.cancel()
        _ = await crawl.result
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    /// Returns the path as requested; `URL.path` drops the trailing slash.
    private static func path(_ url: URL) -> String {
        URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
    }

    private func collect(_ crawler: Crawler, from url: URL) async throws -> [CrawledPage] {
        var pages: [CrawledPage] = []
        try await crawler.crawl(from: [url]) { pages.append($0) }
        return pages
    }
}
