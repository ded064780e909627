import Ferry

// The snippets of Caching.md, compiled but not run.

enum CachingSnippets {
    static func disk(folder: URL) -> CurlSession {
        var options = CurlSession.Options()
        options.cache = HTTPCache(diskCapacity: 200_000_000, directory: folder)
        let session = CurlSession(configuration: .default, options: options)
        return session
    }

    static func remove(session: CurlSession, url: URL) {
        session.cache?.remove(for: url)
        session.cache?.removeAll()
    }

    static func policy(session: CurlSession, url: URL) async throws {
        var request = URLRequest(url: url, cachePolicy: .reloadRevalidatingCacheData)
        request.setValue("stale-if-error=86400", forHTTPHeaderField: "Cache-Control")
        let (data, response) = try await session.data(for: request)
        print(data.count, response)
    }

    final class Delegate: NSObject, URLSessionDataDelegate {
        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
        ) {
            let isPrivate =
                dataTask.originalRequest?.url?.path.hasPrefix("/account") ?? true
            completionHandler(isPrivate ? nil : proposedResponse)
        }
    }
}
