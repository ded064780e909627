import FerryTransfers

/// The snippets about verified downloads, compiled but not run.
enum TransferSnippets {
    static func verified(session: CurlSession, url: URL, file: URL, checksum: String) async throws {
        var download = VerifiedDownload(url, to: file, connections: 8)
        download.digest = try ContentDigest(.sha256, hexadecimal: checksum)
        try await session.download(download) { progress in
            print(progress.fractionCompleted ?? 0, progress.rate, progress.timeLeft ?? 0)
        }
    }

    static func mirrors(session: CurlSession, url: URL, file: URL, mirrors: [URL]) async throws {
        var download = VerifiedDownload(url, to: file, connections: 8)
        download.mirrors = mirrors
        download.usesOfferedMirrors = true
        try await session.download(download)
    }

    static func tokens(authentication: any RequestInterceptor, url: URL, file: URL) async throws {
        var options = CurlSession.Options()
        options.interceptors = [authentication]
        let session = CurlSession(configuration: .default, options: options)
        try await session.download(VerifiedDownload(url, to: file))
    }

    static func limit(session: CurlSession, url: URL, file: URL) async throws {
        let limit = BandwidthLimit(bytesPerSecond: 2_000_000)
        var download = VerifiedDownload(url, to: file)
        download.limit = limit
        async let outcome = session.download(download)
        limit.bytesPerSecond = nil
        print(try await outcome.byteCount)
    }

    static func combined(session: CurlSession, one: VerifiedDownload, two: VerifiedDownload) async throws {
        let all = CombinedProgress()
        async let first = session.download(one, progress: all.part())
        async let second = session.download(two, progress: all.part())
        let display = Task {
            for await sum in all.updates { print(sum.fractionCompleted ?? 0, sum.timeLeft ?? 0) }
        }
        _ = try await (first, second)
        all.finish()
        await display.value
    }

    /// A store of files, as a program would have it.
    protocol Store: Sendable {
        func signedURL(_ part: Int) async throws -> URL
        func keep(_ receipt: PartUpload.Receipt)
        func completion(of receipts: [PartUpload.Receipt]) throws -> URLRequest
        func error(_ answer: String) -> any Error
    }

    static func parts(session: CurlSession, file: URL, store: any Store) async throws {
        var upload = PartUpload(file) { part in
            var request = URLRequest(url: try await store.signedURL(part.number))
            request.httpMethod = "PUT"
            return request
        }
        upload.partDidFinish = { receipt in store.keep(receipt) }
        upload.manifest = { receipts in try store.completion(of: receipts) }
        let outcome = try await session.upload(upload)
        let answer = String(decoding: outcome.manifest?.data ?? Data(), as: UTF8.self)
        if answer.contains("<Error>") { throw store.error(answer) }
    }

    static func digest(file: URL) throws {
        let content = try Data(contentsOf: file, options: .alwaysMapped)
        let digest = "sha256:" + ContentDigest(.sha256, of: content).hexadecimal
        print(digest)
    }

    static func queue(
        session: CurlSession,
        folder: URL,
        url: URL,
        file: URL,
        checksum: String,
        photo: URL,
        destination: URL
    ) async throws {
        let queue = try await TransferQueue(directory: folder)
        var download = VerifiedDownload(url, to: file, connections: 4)
        download.digest = try ContentDigest(.sha256, hexadecimal: checksum)
        try await queue.add(download)
        try await queue.add(FileUpload(photo, to: destination), priority: 1)

        let summary = try await queue.run(with: session) { transfer in
            print(transfer.id, transfer.state, transfer.progress.fractionCompleted ?? 0)
        }
        print(summary.finishedCount, summary.failedCount)
    }

    static func upload(session: CurlSession, file: URL, url: URL) async throws {
        let upload = FileUpload(file, to: url)
        let outcome = try await session.upload(upload) { print($0.fractionCompleted ?? 0) }
        print(outcome.response.statusCode)
    }

    static func location(
        session: CurlSession,
        file: URL,
        url: URL,
        loadLocation: () throws -> FileUpload.Location?,
        saveLocation: @escaping @Sendable (FileUpload.Location?) -> Void
    ) async throws {
        var upload = FileUpload(file, to: url)
        upload.location = try loadLocation()
        upload.locationDidChange = { location in saveLocation(location) }
        try await session.upload(upload)
    }

    func checkedParts(session: CurlSession, file: URL, url: URL) async throws {
        var upload = FileUpload(file, to: url)
        upload.checksum = .sha256
        upload.connections = 4
        try await session.upload(upload)
    }
}
