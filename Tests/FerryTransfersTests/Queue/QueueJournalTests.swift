import Testing

@testable import FerryTransfers

@Suite("The journal of a queue", .timeLimit(.minutes(5))) struct QueueJournalTests {
    private let folder: TemporaryFolder
    private let session = makeSession()
    private var place: URL { folder.file("queue") }
    private var journal: String { place.path + "/journal" }

    init() throws { folder = try TemporaryFolder() }

    private func queue(_ limits: QueueLimits = QueueLimits()) async throws -> TransferQueue {
        var options = TransferQueue.Options()
        options.maximumConcurrentTransfers = 1
        return TransferQueue(store: try await QueueStore(folder: place.path, limits: limits), options: options)
    }

    /// Returns downloads whose URLs have about this many bytes.
    private func downloads(_ count: Int, length: Int) throws -> [VerifiedDownload] {
        let path = String(repeating: "a", count: length)
        let url = try #require(URL(string: "http://127.0.0.1:1/" + path))
        return (0..<count).map { VerifiedDownload(url, to: folder.file("\($0)")) }
    }

    private func status() throws -> stat {
        try RegularFile(reading: journal, links: .refuse).status()
    }

    /// Changes a transfer repeatedly, and returns how often the journal was replaced.
    private func replacements(_ queue: TransferQueue, changes: Int) async throws -> Int {
        var count = 0
        for index in 0..<changes {
            let before = try status().st_ino
            if index.isMultiple(of: 2) { try await queue.pause(1) } else { try await queue.resume(1) }
            if try status().st_ino != before { count += 1 }
        }
        return count
    }

    @Test("Changes of a queue with large records are appended, and do not replace the journal each time")
    func largeRecords() async throws {
        let queue = try await queue()
        try await queue.add(try downloads(300, length: 8_000))
        #expect(try status().st_size > 2_400_000)
        #expect(try await replacements(queue, changes: 20) == 0)
    }

    @Test("The journal is replaced when what is outdated has the most bytes that it may have")
    func outdated() async throws {
        var limits = QueueLimits()
        limits.outdatedBytes = 1_000...20_000
        let queue = try await queue(limits)
        try await queue.add(try downloads(100, length: 100))
        let live = try status().st_size
        let record = live / 100
        let count = try await replacements(queue, changes: 100)
        #expect((1...(100 * record / 20_000 + 1)).contains(count))
        #expect(try status().st_size <= live + 20_000)
        // The number of a removed transfer is not used again, also after the journal was replaced.
        try await queue.remove(100)
        #expect(try await replacements(queue, changes: 100) > 0)
        #expect(try await self.queue().add(downloads(1, length: 100)) == [101])
    }

    @Test("A queue that has all that it accepts can be opened, changed and made smaller")
    func most() async throws {
        var limits = QueueLimits()
        (limits.liveBytes, limits.outdatedBytes, limits.journalBytes) = (100_000, 1_000...20_000, 200_000)
        let first = try await queue(limits)
        var count = 0
        var error: TransferQueueError?
        while error == nil, count < 1_000 {
            let more = try downloads(10, length: 100)
            error = await failure { try await first.add(more) } as? TransferQueueError
            if error == nil { count += 10 }
        }
        guard case .invalidTransfer(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("100000") && count > 100)
        for _ in 0..<4 {
            try await first.pause()
            try await first.resume()
            #expect(try status().st_size <= 200_000)
        }
        let second = try await queue(limits)
        #expect(try await second.transfers().count == count)
        for id in 1...20 { try await second.remove(id) }
        #expect(try await second.add(try downloads(10, length: 100)).first == count + 1)
        #expect(try await queue(limits).transfers().count == count - 10)
    }

    @Test("Transfers that need too much together are refused, and none of them is added")
    func largeAddition() async throws {
        var limits = QueueLimits()
        limits.liveBytes = 100_000
        let queue = try await queue(limits)
        let error = await failure { try await queue.add(try downloads(1_000, length: 100)) }
        guard case .invalidTransfer = error as? TransferQueueError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try status().st_size == 0)
        #expect(try await queue.add(try downloads(1, length: 100)) == [1])
    }

    @Test("A transfer whose end could not be recorded is run again by the same object")
    func unrecordedEnd() async throws {
        let isThere = Mutex(false)
        let server = try LoopbackServer { _ in
            isThere.withLock { $0 } ? .text("x") : .text("no", statusCode: 404)
        }
        let first = try await queue()
        try await first.add(VerifiedDownload(server.url, to: folder.file("a")))
        try await first.add(try downloads(1, length: 1_000), priority: -1)
        var limits = QueueLimits()
        // The reason of the failure has no room.
        limits.journalBytes = Int(try status().st_size) + 20
        let queue = try await queue(limits)
        let error = await failure { try await queue.run(with: session) }
        guard case .file(journal, EFBIG, _) = error as? TransferQueueError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await queue.transfers().map(\.state) == [.waiting, .waiting])
        try await queue.remove(2)
        isThere.withLock { $0 = true }
        #expect(try await queue.run(with: session) == TransferQueue.Summary(finishedCount: 1, failedCount: 0))
        #expect(folder.data("a") == Data("x".utf8))
    }

    @Test("A complete download that the journal cannot record ends the run, and the next run publishes it")
    func unrecordedFile() async throws {
        let content = RangedContent(count: 1_000)
        let lock = Mutex<RegularFile?>(nil)
        let server = try LoopbackServer { [journal] request in
            lock.withLock { lock in
                guard lock == nil else { return }
                lock = try? RegularFile(writing: journal, links: .refuse)
                while lock?.tryLock() == false { usleep(100) }
            }
            return content.response(to: request)
        }
        let queue = try await queue()
        try await queue.add(VerifiedDownload(server.url, to: folder.file("a")))
        let run = Task { [session] in try await queue.run(with: session) }
        try await server.waitForRequests(1, timeout: 40 * patience)
        try await eventually("the end of the transfer") {
            let file = try? RegularFile(writing: folder.path("a.segments"), links: .refuse)
            return file?.tryLock() == true
        }
        lock.withLock { $0?.unlock() }
        let error = await failure { try await run.value }
        guard case .file(journal, EWOULDBLOCK, _) = error as? TransferQueueError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await queue.transfers().map(\.state) == [.waiting])
        #expect(try await queue.run(with: session) == TransferQueue.Summary(finishedCount: 1, failedCount: 0))
        #expect(folder.data("a") == LoopbackServer.pattern(count: 1_000))
        // The second request shows that the server still has the file.
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=999-999"])
    }

    @Test("A file that has its name, but no record of that, is finished if it is the whole", arguments: [true, false])
    func published(isWhole: Bool) async throws {
        let content = RangedContent(count: 1_000)
        let server = try LoopbackServer(handler: content.handler)
        let queue = try await queue()
        try await queue.add(VerifiedDownload(server.url, to: folder.file("a")))
        try LoopbackServer.pattern(count: isWhole ? 1_000 : 10).write(to: folder.file("a"))
        var info = stat()
        try #require(stat(folder.path("a"), &info) == 0)
        let inode = UInt64(info.st_ino)
        try await queue.store.note(1) { $0.published = inode }
        let plan = SegmentPlan(total: 1_000, done: [0..<500])
        let state = SegmentState(source: server.url, validator: "\"\(content.etag)\"", digest: nil, plan: plan)
        try state.write(to: folder.path("a.segments.state"), synchronized: false)
        #expect(try await queue.run(with: session).finishedCount == 1)
        #expect(server.requestCount == (isWhole ? 0 : 1))
        #expect(folder.names == ["a", "queue"])
        #expect(folder.data("a") == LoopbackServer.pattern(count: 1_000))
        #expect(try await queue.transfers().first?.progress.completedByteCount == 1_000)
    }

    @Test("A transfer that succeeds while it is paused stays finished") func pausedAtEnd() async throws {
        let store = try await QueueStore(folder: place.path)
        let queue = TransferQueue(store: store, options: TransferQueue.Options())
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        try await queue.add(["a", "b"].map { VerifiedDownload(url, to: folder.file($0)) })
        _ = try await store.next(2)
        try await queue.pause()
        for (id, isFinished) in [(1, true), (2, false)] {
            try await store.release(id, isFinished: isFinished) { $0.state = isFinished ? .finished : .failed }
        }
        #expect(try await queue.transfers().map(\.state) == [.finished, .paused])
    }

    @Test("A download that fails while it is removed leaves no partial file") func removedAtEnd() async throws {
        let store = try await QueueStore(folder: place.path)
        let queue = TransferQueue(store: store, options: TransferQueue.Options())
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        // The removal and the release may happen in either order.
        for _ in 0..<50 {
            let id = try await queue.add(VerifiedDownload(url, to: folder.file("a")))
            let record = try #require(try await store.next(1).start.first)
            try folder.file("a.segments", "part")
            async let removal: Void = queue.remove(id)
            async let released = store.release(id, isFinished: false) { $0.state = .failed }
            // A run discards the partial file in the same way.
            if try await released == nil { await record.discardPartialFile() }
            try await removal
            #expect(folder.names == ["queue"])
        }
    }
}
