import Ferry

/// The transfer of one URL, from the request to the file with its name.
struct Fetch: Sendable {
    let url: URL
    let destination: Destination
    let options: FetchOptions
    let session: CurlSession
    let console: Console
    let board: ProgressBoard

    func run() async -> FetchResult {
        var result = FetchResult()
        let transfer: FetchTransfer
        do {
            let body = try UploadBody(options)
            let target = try Target(destination, url: url, continues: options.continuesDownloads)
            if options.continuesDownloads { try target.checkOrigin(url) }
            transfer = FetchTransfer(fetch: self, body: body, target: target)
        } catch {
            result.failure = CommandFailure(error, url: url)
            return result
        }
        do {
            try await transfer.run()
            if case .part(let part) = transfer.target { result.file = part.path }
        } catch {
            result.failure = CommandFailure(error, url: url)
            if case .part(let part) = transfer.target, part.abandon() {
                result.remainder = .init(path: part.partPath, size: part.size, length: part.record?.length)
            }
        }
        transfer.item?.end(isComplete: result.failure == nil)
        return result
    }
}
