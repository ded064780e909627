import Ferry

// A download that does not begin anew: a lost connection, a cancel and a crash cost no more than what came last.

/// Downloads files into a folder, where each appears whole or not at all.
///
/// Beside the files there is a folder `.incoming` with the parts of those that are not complete, and with a record of
/// each. A downloader that is made later, in another process too, goes on from there.
struct Downloader: Sendable {
    /// What is kept of a download that is not complete: Ferry's resume data names its part.
    private struct Record: Codable {
        var url: URL
        var byteCount: Int64
        var resumeData: Data
    }

    private let folder: URL
    private let incoming: URL
    private let manager: SessionManager

    /// How many bytes a crash may cost: so often the record is brought up to date, at the price of one more request.
    var checkpoint: Int64 = 64 << 20

    /// How often in a row a download may stop without a byte more.
    var patience = 5

    /// Makes a downloader for a folder, which is made where there is none.
    init(folder: URL) throws {
        self.folder = folder
        incoming = folder.appendingPathComponent(".incoming", isDirectory: true)
        try FileManager.default.createDirectory(at: incoming, withIntermediateDirectories: true)
        // Resume data is good for sessions with the same folder, so it must not be one that a restart empties. On the
        // destination's own file system, publishing a file is a rename.
        var options = CurlSession.Options()
        options.temporaryDirectory = incoming
        manager = SessionManager(transport: .curl(options: options))
    }

    /// Downloads a file, from where an earlier call stopped, and tells of the whole file's progress.
    ///
    /// Where it throws, a ``NetworkError``, the next call goes on.
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
            // At a checkpoint, and after a connection that was lost, there is more than before.
            let hasMore = error.resumeData != nil && byteCount > record?.byteCount ?? 0
            failures = hasMore ? 0 : failures + 1
            if let resumeData = error.resumeData {
                let record = Record(url: url, byteCount: byteCount, resumeData: resumeData)
                try JSONEncoder().encode(record).write(to: recordFile, options: .atomic)
            } else if !error.isCancelled {
                // Nothing can be continued: the server names no validator, or the part is not there any more.
                try? FileManager.default.removeItem(at: recordFile)
            }
            let canGoOn = error.resumeData != nil || record != nil || error.isRetryable
            guard canGoOn, failures < patience, !Task.isCancelled else { throw error }
            try await Task.sleep(for: .milliseconds(200) * failures)
        }
    }

    /// Makes one request, until the end, the next checkpoint or a cancel; the last two leave resume data.
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
        // The waiting is a Swift task of its own, so that it still hears of the resume data when this one is cancelled.
        let end = Task {
            for await response in responses { return response }
            return TaskResponse<URL>(error: NetworkError(.noValue, message: "The download has no end"))
        }
        // Asked for before the task runs, so that no update is missed.
        let updates = manager.downloadProgressUpdates(for: task)
        return await withTaskCancellationHandler {
            async let watching: Void = stop(task, at: (record?.byteCount ?? 0) + checkpoint, by: updates)
            task.resume()
            let response = await end.value
            await watching
            return (response, task.countOfBytesReceived)
        } onCancel: {
            // A plain `cancel()`, such as that of the async functions, deletes what has come.
            task.cancel { _ in }
        }
    }

    /// Stops a task when the file has so many bytes; returns at its end.
    private func stop(
        _ task: URLSessionDownloadTask,
        at byteCount: Int64,
        by updates: AsyncStream<ProgressUpdate>
    ) async {
        for await update in updates where update.completedByteCount >= byteCount { return task.cancel { _ in } }
    }
}
