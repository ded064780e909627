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
    /// The maximum number of requested pages, which also limits the sets of visited and of waiting URLs.
    var maximumPages = 1_000

    /// Returns whether a link is followed.
    var follows: @Sendable (URL) -> Bool = { _ in true }

    private let manager: SessionManager

    /// Makes a crawler with a maximum number of concurrent requests, and a time in seconds between two requests to the
    /// same origin.
    init(configuration: URLSessionConfiguration = .default, maximumConcurrency: Int = 8, pause: TimeInterval = 0.25) {
        configuration.httpAdditionalHeaders = ["User-Agent": "ExampleCrawler/1.0"]
        configuration.timeoutIntervalForResource = 60
        var options = CurlSession.Options()
        // The session queues requests that have to wait, so that they do not delay requests to other origins.
        options.limits = RequestLimits(maximumInFlight: maximumConcurrency, rate: .init(1, per: pause))
        manager = SessionManager(configuration: configuration, transport: .curl(options: options))
    }

    /// Crawls from the given URLs, and calls `visit` for each page in the order in which the pages arrive.
    func crawl(from seeds: [URL], visit: (CrawledPage) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: CrawledPage.self) { group in
            var visited: Set<URL> = []

            // Only new URLs are requested, and at most `maximumPages` of them.
            func request(_ urls: [URL]) {
                for url in urls where visited.count < maximumPages && follows(url) {
                    if visited.insert(url).inserted { group.addTask { await fetch(url) } }
                }
            }

            request(seeds.compactMap(Self.canonical))
            while let page = try await group.next() {
                request(page.links)
                try await visit(page)
            }
        }
    }

    private func fetch(_ url: URL) async -> CrawledPage {
        // Only HTML of up to 2 MiB is accepted; the transfer of a larger body is stopped.
        let serializer = StringResponseSerializer(
            allowsLossyConversion: true,
            validation: Validation(contentTypes: ["text/html", "application/xhtml+xml"]),
            maximumBodySize: 2 << 20
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

    /// Returns an http or https URL without its fragment, so that each page has one URL, or `nil` for other schemes.
    private static func canonical(_ url: URL) -> URL? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            parts.scheme == "http" || parts.scheme == "https"
        else { return nil }
        parts.fragment = nil
        if parts.path.isEmpty { parts.path = "/" }
        return parts.url
    }
}
