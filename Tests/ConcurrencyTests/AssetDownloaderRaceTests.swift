import FerryAssets
import FerryTesting
import Foundation
import Testing

@Suite("Asset downloads from many threads")
struct AssetDownloaderRaceTests {
    @Test("Every handler is called once while requests are joined and cancelled")
    func storm() async throws {
        let server = try LoopbackServer { request in LoopbackResponse(body: .data(Data(request.path.utf8))) }
        let downloader = AssetDownloader(
            manager: SessionManager(configuration: .ephemeral),
            serializer: HTTPDataResponseSerializer(),
            cache: AutoPurgingCache<Data>(memoryCapacity: 20, preferredMemoryUsageAfterPurge: 10),
            prioritization: .lifo,
            maximumActiveDownloads: 3
        )
        let told = Watched<[Int: Int]>([:])
        let wrong = Watched<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<400 {
                group.addTask {
                    let path = "\(index % 13)"
                    let request = URLRequest(url: server.url.appendingPathComponent(path))
                    let receipt = downloader.download(request) { response in
                        told.change { $0[index, default: 0] += 1 }
                        let isRight = response.value == Data("/\(path)".utf8) || response.error?.code == .cancelled
                        if !isRight { wrong.change { $0.append("\(index): \(String(describing: response.error))") } }
                    }
                    if index % 3 == 0, let receipt { downloader.cancel(receipt) }
                }
            }
        }
        try await told.wait { $0.count == 400 }
        try await eventually { downloader.activeDownloadCount == 0 }
        #expect(told.current.values.allSatisfy { $0 == 1 })
        #expect(wrong.current.isEmpty)
    }
}
