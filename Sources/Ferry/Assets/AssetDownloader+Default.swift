import Foundation

extension AssetDownloader where Value == Data {
    /// The default downloader, for image data.
    ///
    /// It runs four downloads at a time, in the order they were requested, with an ``AutoPurgingCache`` of 100 MiB and
    /// a separate manager with ``defaultConfiguration``. Nothing is kept on disk: for that, create a downloader with a
    /// manager whose transport has `CurlSession.Options.cache`.
    ///
    /// AFNetworking: `defaultInstance`.
    public static var `default`: AssetDownloader<Data> { DefaultAssetDownloader.instance }

    /// The configuration of the default downloader: the system's, with a memory cache of 20 MB for undecoded responses.
    ///
    /// AFNetworking: `defaultURLSessionConfiguration`.
    public static var defaultConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = URLCache(memoryCapacity: 20_000_000, diskCapacity: 0, diskPath: nil)
        return configuration
    }
}

/// The storage of the default downloader, since a generic type cannot have stored static properties.
private enum DefaultAssetDownloader {
    static let instance = AssetDownloader<Data>(
        manager: SessionManager(configuration: AssetDownloader<Data>.defaultConfiguration),
        serializer: ImageDataResponseSerializer(),
        cache: AutoPurgingCache<Data>()
    )
}
