import FerryTransfers

/// The snippets about verified downloads, compiled but not run.
enum TransferSnippets {
    static func verified(session: CurlSession, url: URL, file: URL, checksum: String) async throws {
        var download = VerifiedDownload(url, to: file, connections: 8)
        download.digest = ContentDigest(.sha256, hexadecimal: checksum)
        try await session.download(download) { progress in
            print(progress.fraction ?? 0, progress.rate, progress.timeLeft ?? 0)
        }
    }

    static func mirrors(session: CurlSession, url: URL, file: URL, mirrors: [URL]) async throws {
        var download = VerifiedDownload(url, to: file, connections: 8)
        download.mirrors = mirrors
        download.usesOfferedMirrors = true
        try await session.download(download)
    }

    static func limit(session: CurlSession, url: URL, file: URL) async throws {
        let limit = BandwidthLimit(bytesPerSecond: 2_000_000)
        var download = VerifiedDownload(url, to: file)
        download.limit = limit
        async let outcome = session.download(download)
        limit.bytesPerSecond = nil
        print(try await outcome.bytes)
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
        let queue = try await TransferQueue(folder: folder)
        var download = VerifiedDownload(url, to: file, connections: 4)
        download.digest = ContentDigest(.sha256, hexadecimal: checksum)
        try await queue.add(download)
        try await queue.add(FileUpload(photo, to: destination), priority: 1)

        let summary = try await queue.run(with: session) { transfer in
            print(transfer.id, transfer.state, transfer.progress.fraction ?? 0)
        }
        print(summary.finished, summary.failed)
    }

    static func upload(session: CurlSession, file: URL, url: URL) async throws {
        let upload = FileUpload(file, to: url)
        let outcome = try await session.upload(upload) { print($0.fraction ?? 0) }
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
}
