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
    /// The maximum number of pages that are requested; it also bounds the visited set, and the pages that wait.
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
        // Requests that have to wait are queued by the session, where they take no place of other origins' requests.
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
