import Ferry

// A crawler in structured concurrency: when the function returns, or its Swift task is cancelled, nothing is left running.

/// What a crawl has found under a URL.
struct CrawledPage: Sendable {
    let url: URL
    let links: [URL]
    /// Why there is no page, or `nil`.
    let error: NetworkError?
}

/// Fetches pages and follows their links, a few at a time.
struct Crawler: Sendable {
    /// How many pages are asked for in all; this bounds the visited set and the queue too.
    var maximumPages = 1_000

    /// How many requests are under way at once.
    var maximumConcurrency = 8

    /// The least time between two requests to one host.
    var pause = Duration.milliseconds(250)

    /// Which links are followed.
    var follows: @Sendable (URL) -> Bool = { _ in true }

    private let manager: SessionManager

    init(configuration: URLSessionConfiguration = .default) {
        configuration.httpAdditionalHeaders = ["User-Agent": "ExampleCrawler/1.0"]
        configuration.timeoutIntervalForResource = 60
        manager = SessionManager(configuration: configuration)
    }

    /// Crawls from some URLs on, and calls `visit` for each page in the order in which they come.
    ///
    /// While `visit` works no new request begins: a slow visitor slows the crawl down, and nothing piles up.
    func crawl(from seeds: [URL], visit: (CrawledPage) async throws -> Void) async throws {
        let hosts = HostTimetable(pause: pause)
        var visited: Set<URL> = []
        var queue: [URL] = []

        // Only what is new enters the queue, and no more than may be visited.
        func enqueue(_ urls: [URL]) {
            for url in urls where visited.count < maximumPages && follows(url) {
                if visited.insert(url).inserted { queue.append(url) }
            }
        }

        enqueue(seeds.compactMap(Self.canonical))
        try await withThrowingTaskGroup(of: CrawledPage.self) { group in
            var running = 0
            while running > 0 || !queue.isEmpty {
                while running < maximumConcurrency, !queue.isEmpty {
                    let url = queue.removeFirst()
                    running += 1
                    group.addTask {
                        try await hosts.waitForTurn(url.host ?? "")
                        return await fetch(url)
                    }
                }
                guard let page = try await group.next() else { break }
                running -= 1
                enqueue(page.links)
                try await visit(page)
            }
        }
    }

    private func fetch(_ url: URL) async -> CrawledPage {
        // HTML and nothing else, and no more of it than a page has: the rest is neither read nor kept.
        let serializer = StringResponseSerializer(
            allowsLossyConversion: true,
            validation: Validation(contentTypes: ["text/html", "application/xhtml+xml"]),
            maximumBytes: 2 << 20
        )
        let response = await manager.response(for: URLRequest(url: url), serializer: serializer)
        guard let html = response.value, response.error == nil else {
            return CrawledPage(url: url, links: [], error: response.error)
        }
        // After a redirection, links are relative to where the page came from.
        return CrawledPage(url: url, links: Self.links(in: html, base: response.response?.url ?? url), error: nil)
    }

    private static func links(in html: String, base: URL) -> [URL] {
        html.matches(of: /<a\s[^>]*?href\s*=\s*["']([^"']+)["']/.ignoresCase()).compactMap { match in
            URL(string: String(match.1), relativeTo: base).flatMap(canonical)
        }
    }

    /// The URL without its fragment, if it is one of the web: pages are told apart by it.
    private static func canonical(_ url: URL) -> URL? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            parts.scheme == "http" || parts.scheme == "https"
        else { return nil }
        parts.fragment = nil
        if parts.path.isEmpty { parts.path = "/" }
        return parts.url
    }
}

/// Gives each request to a host its time, one after the other.
private actor HostTimetable {
    private let pause: Duration
    private var nextTurns: [String: ContinuousClock.Instant] = [:]

    init(pause: Duration) {
        self.pause = pause
    }

    func waitForTurn(_ host: String) async throws {
        let turn = max(nextTurns[host] ?? .now, .now)
        nextTurns[host] = turn + pause
        try await Task.sleep(until: turn, clock: .continuous)
    }
}
