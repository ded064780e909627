import Ferry
import FerryTransfers

// Downloads over several connections, from mirrors, or with a checksum.
extension Fetch {
    /// Downloads the URL to its file, continuing the partial file of an earlier run, and returns the path.
    func transferVerified(_ result: inout FetchResult) async throws -> String {
        let path = try verifiedPath()
        let file = try URL(file: path)
        var download = VerifiedDownload(URLRequest(url, options, .none, to: destination), to: file)
        download.connections = options.connections ?? (options.mirrors.isEmpty ? 1 : options.mirrors.count + 1)
        download.mirrors = options.mirrors
        download.digest = options.checksum
        // The first report comes before the first byte, and the last one at the end, also after a failure.
        let reports = Mutex<(first: TransferProgress, last: TransferProgress)?>(nil)
        defer {
            result.received =
                reports.withLock { $0.map { max(0, $0.last.completedByteCount - $0.first.completedByteCount) } } ?? 0
        }
        do {
            let progress: @Sendable (TransferProgress) -> Void = { [context, index, item] progress in
                let isFirst = reports.withLock { reports in
                    defer { reports = (reports?.first ?? progress, progress) }
                    return reports == nil
                }
                if isFirst { item?.begin(at: progress.completedByteCount, of: progress.totalByteCount) }
                item?.update(progress.completedByteCount, of: progress.totalByteCount, isUpload: false)
                context.log?.progress(index, "down", progress.completedByteCount, of: progress.totalByteCount)
            }
            // The session limits each request, and a download repeats those that fail.
            let outcome = try await options.inTime(after: elapsed) { [session = context.session, download] in
                try await session.download(download, progress: progress)
            }
            if options.keepsRemoteTime, let date = outcome.lastModified { setTime(of: path, date) }
            return path
        } catch {
            let part = path + VerifiedDownload.partSuffix
            if access(part, F_OK) == 0, let last = reports.withLock({ $0?.last }) {
                result.remainder = .init(path: part, size: last.completedByteCount, length: last.totalByteCount)
            }
            throw error
        }
    }

    /// Returns the path of the file to write; the target of a link is replaced, not the link.
    private func verifiedPath() throws(CommandFailure) -> String {
        let path =
            switch destination {
            case .file(let path): path
            case .remoteName, .standardOutput: options.path(of: FileName.name(in: url))
            }
        switch path.fileType {
        case nil: return path.followingLinks
        case S_IFREG?:
            guard access(path, W_OK) == 0 else { throw .file(path, "cannot be written", errno: errno) }
            return path.followingLinks
        case S_IFDIR?: throw .file(path, "cannot be written", errno: EISDIR)
        default:
            throw CommandFailure(.file, "\(PresentableText.path(path)): a checked download needs a regular file")
        }
    }

    private func setTime(of path: String, _ date: Date) {
        do throws(FileError) {
            try RegularFile(writing: path, links: .refuse).setModificationDate(date)
        } catch {
            context.console.note(CommandFailure.file(error, "cannot get the time of Last-Modified").message)
        }
    }
}
