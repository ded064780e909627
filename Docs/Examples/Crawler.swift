import Ferry

// A crawler with structured concurrency: no request is running after the function has returned or thrown.

/// The result of crawling one URL.
struct CrawledPage: Sendable {
    let url: URL
    let links: [URL]
    /// The reason why there is no page, or `nil`.
    let error: NetworkError?
}

/// Fetches pages and follows their links, a few at a time.
struct Crawler: Sendable {
    /// The maximum number of pages that are requested; it also bounds the visited set and the queue.
    var maximumPages = 1_000

    /// The maximum number of concurrent requests.
    var maximumConcurrency = 8

    /// The minimum time between two requests to the same host.
    var pause = Duration.milliseconds(250)

    /// Returns whether a link is followed.
    var follows: @Sendable (URL) -> Bool = { _ in true }

    private let manager: SessionManager

    init(configuration: URLSessionConfiguration = .default) {
        configuration.httpAdditionalHeaders = ["User-Agent": "ExampleCrawler/1.0"]
        configuration.timeoutIntervalForResource = 60
        manager = SessionManager(configuration: configuration)
    }

    /// Crawls from the given URLs, and calls `visit` for each page in the order in which the pages arrive.
    ///
    /// No new request starts while `visit` runs, so a slow visitor slows the crawl down and pages do not accumulate.
    func crawl(from seeds: [URL], visit: (CrawledPage) async throws -> Void) async throws {
        let hosts = HostTimetable(pause: pause)
        var visited: Set<URL> = []
        var queue: [URL] = []

        // Only new URLs enter the queue, and at most `maximumPages` of them.
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
        // Only HTML is accepted, up to 2 MiB; a larger body is neither read to its end nor kept.
        let serializer = StringResponseSerializer(
            allowsLossyConversion: true,
            validation: Validation(contentTypes: ["text/html", "application/xhtml+xml"]),
            maximumBytes: 2 << 20
        )
        let response = await manager.response(for: URLRequest(url: url), serializer: serializer)
        guard let html = response.value, response.error == nil else {
            return CrawledPage(url: url, links: [], error: response.error)
        }
        // After a redirect, links are relative to the URL of the final response.
        return CrawledPage(url: url, links: Self.links(in: html, base: response.response?.url ?? url), error: nil)
    }

    private static func links(in html: String, base: URL) -> [URL] {
        html.matches(of: /<a\s[^>]*?href\s*=\s*["']([^"']+)["']/.ignoresCase()).compactMap { match in
            URL(string: String(match.1), relativeTo: base).flatMap(canonical)
        }
    }

    /// Returns the http or https URL without its fragment, which identifies a page, or `nil` for other schemes.
    private static func canonical(_ url: URL) -> URL? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            parts.scheme == "http" || parts.scheme == "https"
        else { return nil }
        parts.fragment = nil
        if parts.path.isEmpty { parts.path = "/" }
        return parts.url
    }
}

/// Spaces out the requests to each host.
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
