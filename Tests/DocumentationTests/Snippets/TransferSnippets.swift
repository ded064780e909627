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
        let limit = TransferLimit(bytesPerSecond: 2_000_000)
        var download = VerifiedDownload(url, to: file)
        download.limit = limit
        async let outcome = session.download(download)
        limit.bytesPerSecond = nil
        print(try await outcome.bytes)
    }
}
