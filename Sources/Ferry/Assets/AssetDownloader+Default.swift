import FerrySession

extension AssetDownloader where Value == Data {
    /// A downloader for the whole program, of image data.
    ///
    /// Four downloads at once, in the order in which they came; an ``AutoPurgingCache`` of 100 MiB; a manager of its own
    /// with ``defaultConfiguration``. Nothing is kept on disk: give a downloader of your own a manager whose transport has
    /// `CurlSession.Options.cache` for that.
    ///
    /// AFNetworking: `defaultInstance`.
    public static var `default`: AssetDownloader<Data> { DefaultAssetDownloader.instance }

    /// The configuration of the default downloader: the system's, with 20 MB of memory for responses as they came.
    ///
    /// AFNetworking: `defaultURLSessionConfiguration`.
    public static var defaultConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = URLCache(memoryCapacity: 20_000_000, diskCapacity: 0, diskPath: nil)
        return configuration
    }
}

/// Holds the default downloader, since a generic type has no stored static properties.
private enum DefaultAssetDownloader {
    static let instance = AssetDownloader<Data>(
        manager: SessionManager(configuration: AssetDownloader<Data>.defaultConfiguration),
        serializer: ImageDataResponseSerializer(),
        cache: AutoPurgingCache<Data>()
    )
}
