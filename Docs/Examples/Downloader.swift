import Ferry

// A download that does not start over: a lost connection, a cancellation or a crash loses only the most recent bytes.

/// Downloads files into a folder, where each file appears complete or not at all.
///
/// The folder contains a folder `.incoming` with the partial file and a record of each incomplete download. A later
/// downloader, also in another process, continues from there.
struct Downloader: Sendable {
    /// The record of an incomplete download; Ferry's resume data names the partial file.
    private struct Record: Codable {
        var url: URL
        var byteCount: Int64
        var resumeData: Data
    }

    private let folder: URL
    private let incoming: URL
    private let manager: SessionManager

    /// The number of bytes between two updates of the record, each of which costs a request; a crash loses no more.
    var checkpoint: Int64 = 64 << 20

    /// The number of consecutive attempts without progress after which a download fails.
    var patience = 5

    /// Creates a downloader for a folder, and the folder if it does not exist.
    init(folder: URL) throws {
        self.folder = folder
        incoming = folder.appendingPathComponent(".incoming", isDirectory: true)
        try FileManager.default.createDirectory(at: incoming, withIntermediateDirectories: true)
        // Resume data is valid for sessions with the same temporary folder, so a restart must not empty it. If it is on
        // the file system of the destination, publishing a file is a rename.
        var options = CurlSession.Options()
        options.temporaryDirectory = incoming
        manager = SessionManager(transport: .curl(options: options))
    }

    /// Downloads a file, continuing where an earlier call stopped, and reports progress of the whole file.
    ///
    /// - Throws: ``NetworkError`` if the download failed; the next call continues it. Also an error if the record
    ///   cannot be written, or `CancellationError`.
    func download(_ url: URL, as name: String, progress: @escaping ProgressHandler = { _ in }) async throws -> URL {
        let file = folder.appendingPathComponent(name)
        let recordFile = incoming.appendingPathComponent("\(name).resume")
        var failures = 0
        while true {
            var record = (try? Data(contentsOf: recordFile)).flatMap {
                try? JSONDecoder().decode(Record.self, from: $0)
            }
            if record?.url != url { record = nil }
            let (response, byteCount) = await transfer(url, record, to: file, progress: progress)
            guard let error = response.error else {
                try? FileManager.default.removeItem(at: recordFile)
                return file
            }
            // At a checkpoint, and after a lost connection, there are more bytes than before.
            let hasMore = error.resumeData != nil && byteCount > record?.byteCount ?? 0
            failures = hasMore ? 0 : failures + 1
            if let resumeData = error.resumeData {
                let record = Record(url: url, byteCount: byteCount, resumeData: resumeData)
                try JSONEncoder().encode(record).write(to: recordFile, options: .atomic)
            } else if !error.isCancelled {
                // The download cannot be continued: there is no validator, or the partial file no longer exists.
                try? FileManager.default.removeItem(at: recordFile)
            }
            let canGoOn = error.resumeData != nil || record != nil || error.isRetryable
            guard canGoOn, failures < patience, !Task.isCancelled else { throw error }
            try await Task.sleep(for: .milliseconds(200) * failures)
        }
    }

    /// Sends one request, and waits for its end, the next checkpoint or a cancel; the last two leave resume data.
    private func transfer(
        _ url: URL,
        _ record: Record?,
        to file: URL,
        progress: @escaping ProgressHandler
    ) async -> (TaskResponse<URL>, byteCount: Int64) {
        let (responses, continuation) = AsyncStream.makeStream(of: TaskResponse<URL>.self)
        let completed: @Sendable (TaskResponse<URL>) -> Void = { continuation.yield($0) }
        let goal = DownloadDestination.file(file, options: .overwrite)
        let task =
            if let data = record?.resumeData {
                manager.downloadTask(
                    withResumeData: data,
                    progress: progress,
                    destination: goal,
                    completionHandler: completed
                )
            } else {
                manager.downloadTask(
                    with: URLRequest(url: url),
                    progress: progress,
                    destination: goal,
                    completionHandler: completed
                )
            }
        // A separate Swift task waits, so that it still receives the resume data when this one is cancelled.
        let end = Task {
            for await response in responses { return response }
            return TaskResponse<URL>(error: NetworkError(.noValue, message: "The download ended without a response"))
        }
        // Created before the task runs, so that no update is missed.
        let updates = manager.downloadProgressUpdates(for: task)
        return await withTaskCancellationHandler {
            async let watching: Void = stop(task, at: (record?.byteCount ?? 0) + checkpoint, by: updates)
            task.resume()
            let response = await end.value
            await watching
            return (response, task.countOfBytesReceived)
        } onCancel: {
            // A plain `cancel()`, which the async functions call, deletes the partial file.
            task.cancel { _ in }
        }
    }

    /// Cancels a task when its file has `byteCount` bytes; returns then, or when the task ends.
    private func stop(
        _ task: URLSessionDownloadTask,
        at byteCount: Int64,
        by updates: AsyncStream<ProgressUpdate>
    ) async {
        for await update in updates where update.completedByteCount >= byteCount { return task.cancel { _ in } }
    }
}
