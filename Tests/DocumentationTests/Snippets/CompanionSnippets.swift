import FerryAssets

/// The snippets of the articles about reachability and asset downloads, compiled but not run.
enum CompanionSnippets {
    struct User: Decodable, Sendable {
        let name: String
    }

    struct Picture: Sendable {
        let width: Int
        let height: Int

        init(_ data: Data) throws {
            (width, height) = (data.count, 1)
        }
    }

    static func reachability() -> ReachabilityManager {
        let reachability = ReachabilityManager(target: .domain("example.com"))
        reachability.statusHandler = { status in print(status) }
        reachability.startMonitoring()
        return reachability
    }

    static func updates(reachability: ReachabilityManager) async {
        for await status in reachability.updates {
            print(status.isReachable ? "there is a way" : "there is none")
        }
    }

    static func waiting(reachability: ReachabilityManager, manager: HTTPSessionManager) async throws {
        try await reachability.waitUntilReachable(timeout: .seconds(30))
        manager.waitsForConnectivity = true
        let user = try await manager.get("users/1", as: User.self)
        print(user.name)
    }

    static func activity() -> ActivityMonitor {
        let activity = ActivityMonitor()
        activity.visibilityHandler = { isVisible in print(isVisible ? "busy" : "idle") }
        activity.isEnabled = true
        return activity
    }

    static func download(url: URL) {
        let downloader = AssetDownloader(
            serializer: .data,
            cache: AutoPurgingCache<Data>()
        )
        let receipt = downloader.download(URLRequest(url: url)) { response in
            print(response.value?.count ?? 0, response.error?.message ?? "no error")
        }
        if let receipt { downloader.cancel(receipt) }
    }

    static func gallery(url: URL) async throws {
        let images = AutoPurgingCache<Picture>(cost: { $0.width * $0.height * 4 })
        let gallery = AssetDownloader(
            serializer: ImageDataResponseSerializer { data in try Picture(data) },
            cache: images,
            prioritization: .lifo
        )
        let picture = try await gallery.value(for: URLRequest(url: url))
        print(picture.width)
    }
}
