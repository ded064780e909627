import Ferry

/// The transfer of one URL, from the request to the finished file and the report.
struct Fetch: Sendable {
    /// The index of the URL, from 0.
    let index: Int
    let url: URL
    let destination: Destination
    let options: FetchOptions
    let session: CurlSession
    let console: Console
    let board: ProgressBoard
    let recorder: RunRecorder
    let log: EventLog?

    func run() async -> FetchResult {
        var result = FetchResult(index: index)
        log?.start(index, url, method: options.effectiveMethod, file: file)
        let transfer: FetchTransfer?
        do {
            let body = try UploadBody(options)
            let target = try Target(destination, url: url, continues: options.continuesDownloads)
            if options.continuesDownloads { try target.checkOrigin(url) }
            transfer = FetchTransfer(fetch: self, body: body, target: target)
        } catch {
            transfer = nil
            result.failure = CommandFailure(error, url: url)
        }
        if let transfer { await run(transfer, &result) }
        await report(transfer, &result)
        return result
    }

    private func run(_ transfer: FetchTransfer, _ result: inout FetchResult) async {
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
    }

    /// Reports the outcome of the transfer as the options require: recorder, `--write-out` and log.
    private func report(_ transfer: FetchTransfer?, _ result: inout FetchResult) async {
        var report = TransferReport(index: index, url: url.presentableText, method: options.effectiveMethod)
        report.file = result.file ?? file
        report.contentType = transfer?.response?.value(forHTTPHeaderField: "Content-Type")
        report.redirectCount = transfer?.redirectCount ?? 0
        report.requests = await transfer?.requests(failure: result.failure) ?? []
        report.failure = result.failure
        recorder.add(report.requests)
        if let format = options.writeOut {
            do {
                try await StreamOutput.standard.write(Data(format.text(for: report).utf8))
            } catch {
                result.failure = result.failure ?? CommandFailure(error, url: url)
                report.failure = result.failure
            }
        }
        if let failure = result.failure { log?.error(failure, transfer: index) }
        log?.end(report, remainder: result.remainder)
    }
}
