import Testing

@testable import FerryTransfers

@Suite(.timeLimit(.minutes(5))) struct TransferQueueTests {
    private let folder: TemporaryFolder
    private let session = makeSession()
    private var place: URL { folder.file("queue") }

    init() throws { folder = try TemporaryFolder() }

    private func queue(_ change: (inout TransferQueue.Options) -> Void = { _ in }) async throws -> TransferQueue {
        var options = TransferQueue.Options()
        change(&options)
        return try await TransferQueue(directory: place, options: options)
    }

    private func states(_ queue: TransferQueue) async throws -> [QueuedTransfer.State] {
        try await queue.transfers().map(\.state)
    }

    @Test("Transfers that another object has added are run, and stay as finished")
    func basics() async throws {
        let content = RangedContent(count: 1_000_000)
        let server = try LoopbackServer(handler: content.handler)
        let first = try await queue()
        #expect(try await first.add(VerifiedDownload(server.url, to: folder.file("a"), connections: 4)) == 1)
        let digest = try ContentDigest(.sha256, hexadecimal: content.sha256)
        let others = ["b", "c"].map { VerifiedDownload(server.url, to: folder.file($0), digest: digest) }
        #expect(try await first.add(others) == [2, 3])

        let second = try await queue()
        let before = try await second.transfers()
        #expect(before.map(\.id) == [1, 2, 3])
        #expect(before.map(\.state) == [.waiting, .waiting, .waiting])
        #expect(before[0].file.path == folder.path("a") && before[0].kind == .download)
        let told = Mutex<[QueuedTransfer]>([])
        let summary = try await second.run(with: session) { transfer in told.withLock { $0.append(transfer) } }
        #expect(summary == TransferQueue.Summary(finishedCount: 3, failedCount: 0))
        for name in ["a", "b", "c"] { #expect(folder.data(name) == LoopbackServer.pattern(count: 1_000_000)) }
        #expect(try await states(first) == [.finished, .finished, .finished])
        let last = told.withLock { $0 }.filter { $0.state == .finished }
        #expect(Set(last.map(\.id)) == [1, 2, 3])
        #expect(
            last.allSatisfy {
                $0.progress == TransferProgress(completedByteCount: 1_000_000, totalByteCount: 1_000_000)
            }
        )
        #expect(try await second.run(with: session) == TransferQueue.Summary())
    }

    @Test(
        "Transfers to a full disk wait for the next run, whose error says why, and those to another disk finish",
        .enabled(if: SmallDisk.isPossible, "A small disk needs root and mount")
    )
    func fullDisk() async throws {
        let disk = try SmallDisk()
        let server = try LoopbackServer { _ in .pattern(count: 50_000) }
        let queue = try await queue()
        let files = (0..<9).map { disk.folder.file("\($0)") }
        try await queue.add(files.map { VerifiedDownload(server.url, to: $0) })
        try await queue.add(VerifiedDownload(server.url, to: folder.file("other")), priority: -1)
        let error = await failure { try await queue.run(with: session) }
        guard case TransferQueueError.file(_, ENOSPC, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let states = try await states(queue)
        #expect(states.last == .finished && states.dropLast().filter { $0 == .finished }.count <= 1)
        #expect(states.allSatisfy { $0 == .finished || $0 == .waiting }, "\(states)")
        #expect(disk.enlarge())
        #expect(try await queue.run(with: session).failedCount == 0)
        #expect(try await self.states(queue).allSatisfy { $0 == .finished })
        for file in files { #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 50_000)) }
    }

    @Test(
        "A transfer that waits because of a full disk can be removed while others run",
        .enabled(if: SmallDisk.isPossible, "A small disk needs root and mount")
    )
    func removedOnFullDisk() async throws {
        let (disk, isRemoved, begun) = (try SmallDisk(), Watched(false), Watched<Set<Int>>([]))
        let server = try LoopbackServer { request in
            request.path == "/large" ? .pattern(count: 500_000) : .pattern(count: 10).held { isRemoved.current }
        }
        let queue = try await queue()
        try await queue.add(VerifiedDownload(server.url("/large"), to: disk.folder.file("large")))
        try await queue.add(VerifiedDownload(server.url("/slow"), to: folder.file("slow")))
        let run = Task { [session] in
            try await queue.run(with: session) { transfer in begun.change { _ = $0.insert(transfer.id) } }
        }
        try await eventually("the first transfer to wait") {
            begun.current == [1, 2] && queue.running.withLock { $0[1] == nil && $0[2] != nil }
        }
        try await queue.remove(1)
        while try await queue.store.all().claimed != [2] { try await Task.sleep(nanoseconds: 1_000_000) }
        isRemoved.change { $0 = true }
        await #expect(throws: TransferQueueError.self) { try await run.value }
        #expect(try await states(queue) == [.finished])
    }

    @Test("A greater priority begins first, and no more than the limit run at once")
    func order() async throws {
        let running = Mutex((now: 0, most: 0, paths: [String]()))
        let server = try LoopbackServer { request in
            running.withLock { running in
                running.now += 1
                running.most = max(running.most, running.now)
                running.paths.append(request.path)
            }
            usleep(20_000)
            running.withLock { $0.now -= 1 }
            return .text("x")
        }
        let queue = try await queue { $0.maximumConcurrentTransfers = 1 }
        for (index, priority) in [0, -5, 0, 9, 3].enumerated() {
            let download = VerifiedDownload(server.url("/\(index)"), to: folder.file("\(index)"))
            try await queue.add(download, priority: priority)
        }
        #expect(try await queue.transfers().map(\.id) == [4, 5, 1, 3, 2])
        try await queue.run(with: session)
        #expect(running.withLock { $0.paths } == ["/3", "/4", "/0", "/2", "/1"])
        #expect(running.withLock { $0.most } == 1)
    }

    @Test("A transfer is paused, resumed and removed while the queue runs, also through another object")
    func control() async throws {
        let content = RangedContent(count: 8_000_000)
        let server = try LoopbackServer(handler: content.handler)
        let limit = BandwidthLimit(bytesPerSecond: 1_000_000)
        let queue = try await queue { $0.limit = limit }
        let other = try await self.queue()
        try await queue.add(["a", "b"].map { VerifiedDownload(server.url, to: folder.file($0)) })
        let run = Task { [queue, session] in try await queue.run(with: session) }
        try await eventually("both files") {
            folder.names.contains("a.segments") && folder.names.contains("b.segments")
        }
        try await other.pause(1)
        try await other.remove(2)
        while try await queue.transfers().map(\.state) != [.paused] { try await Task.sleep(for: .milliseconds(5)) }
        try await eventually("no partial file of b") { !folder.names.contains { $0.hasPrefix("b") } }
        // No transfer waits or runs.
        let summary = try await run.value
        #expect(summary == TransferQueue.Summary())
        #expect(folder.names.contains("a.segments"))
        limit.bytesPerSecond = nil
        try await other.resume(1)
        #expect(try await queue.run(with: session).finishedCount == 1)
        #expect(folder.data("a") == LoopbackServer.pattern(count: 8_000_000))
        await #expect(throws: TransferQueueError.unknownTransfer(2)) { try await queue.pause(2) }
        #expect(try await queue.add(VerifiedDownload(server.url, to: folder.file("c"))) == 3)
    }

    @Test("A transfer that is removed between its last attempt and the end of the run leaves no partial file")
    func removedAtEnd() async throws {
        let queue = try await queue()
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let id = try await queue.add(VerifiedDownload(url, to: folder.file("a")))
        // The run has the transfer, and does not look for changes any more.
        _ = try await queue.store.next(1)
        try Data("part".utf8).write(to: folder.file("a.segments"))
        try await queue.remove(id)
        await queue.store.releaseAll()
        #expect(!folder.names.contains("a.segments"))
    }

    @Test("A transfer that is added while the queue runs is run")
    func late() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            if request.path == "/slow" { gate.wait() }
            return .text("x")
        }
        let (queue, other) = (try await queue(), try await queue())
        try await queue.add(VerifiedDownload(server.url("/slow"), to: folder.file("slow")))
        let run = Task { [queue, session] in try await queue.run(with: session) }
        try await server.waitForRequests(1, timeout: 40 * patience)
        try await other.add(VerifiedDownload(server.url("/late"), to: folder.file("late")))
        gate.open()
        #expect(try await run.value.finishedCount == 2)
        #expect(folder.names.contains("late"))
    }

    @Test("Only one run has the folder, and a cancelled run leaves its transfers waiting with what has arrived")
    func exclusion() async throws {
        let content = RangedContent(count: 8_000_000)
        let server = try LoopbackServer(handler: content.handler)
        let queue = try await queue { $0.limit = BandwidthLimit(bytesPerSecond: 500_000) }
        try await queue.add(VerifiedDownload(server.url, to: folder.file("a")))
        let run = Task { [queue, session] in try await queue.run(with: session) }
        while try await queue.transfers()[0].progress.completedByteCount < 500_000 {
            try await Task.sleep(for: .milliseconds(5))
        }
        let other = try await self.queue()
        await #expect(throws: TransferQueueError.isRunning(path: place.path)) { try await other.run(with: session) }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(try await states(other) == [.waiting])
        #expect(try await other.transfers()[0].progress.completedByteCount >= 500_000)
        #expect(try await other.run(with: session).finishedCount == 1)
        #expect(folder.data("a") == LoopbackServer.pattern(count: 8_000_000))
        #expect(server.requests.compactMap { $0.header("Range") }.count == 1)
    }

    @Test("Passing failures are repeated, others are kept with their reason, and resumed transfers run again")
    func failures() async throws {
        let seen = Mutex<[String: Int]>([:])
        let server = try LoopbackServer { request in
            let count = seen.withLock { seen in
                seen[request.path, default: 0] += 1
                return seen[request.path] ?? 0
            }
            switch request.path {
            case "/missing": return count == 1 ? .text("no", statusCode: 404) : .text("x")
            default: return count <= 8 ? .text("busy", statusCode: 503) : .text("x")
            }
        }
        let queue = try await queue {
            $0.retryPolicy?.backoff = .init(base: 0.01, multiplier: 1)
            $0.retryPolicy?.maximumRetries = 5
        }
        try await queue.add(["missing", "busy"].map { VerifiedDownload(server.url("/" + $0), to: folder.file($0)) })
        #expect(try await queue.run(with: session) == TransferQueue.Summary(finishedCount: 1, failedCount: 1))
        #expect(try await states(queue) == [.failed("The server responded with the status 404"), .finished])
        #expect(try await queue.run(with: session) == TransferQueue.Summary())
        try await queue.resume()
        #expect(try await queue.run(with: session).finishedCount == 1)
        try await queue.removeFinished()
        #expect(try await queue.transfers().isEmpty)
        #expect(folder.names.contains("missing") && folder.names.contains("busy"))
    }

    @Test("A transfer that has transferred more before each failure is repeated beyond the number of retries")
    func progress() async throws {
        let requests = Mutex(0)
        let told = Mutex<Int64>(0)
        let server = try LoopbackServer { _ in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            // Without a validator, each attempt sends four requests for the whole file.
            guard number <= 12 else { return .pattern(count: 1_000_000) }
            var response = LoopbackResponse.stream { stream in
                let sent = number * 20_000
                stream.write(LoopbackServer.pattern(count: sent))
                let deadline = ContinuousClock.now + .seconds(60)
                while told.withLock({ $0 }) < Int64(sent), ContinuousClock.now < deadline {
                    guard stream.wait(0.01) else { return }
                }
            }
            response.headers["Content-Length"] = "1000000"
            response.closesConnection = true
            return response
        }
        let queue = try await queue {
            $0.retryPolicy?.backoff = .init(base: 0.01, multiplier: 1)
            $0.retryPolicy?.maximumRetries = 1
        }
        try await queue.add(VerifiedDownload(server.url, to: folder.file("a")))
        let summary = try await queue.run(with: session) { transfer in
            told.withLock { $0 = max($0, transfer.progress.completedByteCount) }
        }
        #expect(summary == TransferQueue.Summary(finishedCount: 1, failedCount: 0))
        #expect(folder.data("a") == LoopbackServer.pattern(count: 1_000_000))
    }

    @Test("A session that was invalidated is a failure, not an endless repetition")
    func invalidated() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let queue = try await queue()
        try await queue.add(VerifiedDownload(server.url, to: folder.file("a")))
        session.invalidateAndCancel()
        #expect(try await queue.run(with: session).failedCount == 1)
    }

    @Test(
        "Secrets are kept only if the queue is told to, but the process that has them uses them",
        arguments: [false, true]
    )
    func secrets(keeps: Bool) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let queue = try await queue { if keeps { $0.keepsSecrets = true } }
        var components = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
        (components.user, components.password) = ("ada", "planted1")
        var request = URLRequest(url: try #require(components.url))
        for name in ["Authorization", "X-Api-Key", "Cookie"] { request.setValue("planted2", forHTTPHeaderField: name) }
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        var download = VerifiedDownload(request, to: folder.file("a"))
        download.mirrors = [try #require(components.url).appendingPathComponent("mirror")]
        try await queue.add(download)
        let journal = try String(contentsOf: place.appendingPathComponent("journal"), encoding: .utf8)
        #expect(journal.contains("planted1") == keeps && journal.contains("planted2") == keeps)
        #expect(journal.contains("text/plain") && journal.contains("mirror"))

        let other = try await self.queue()
        try await other.run(with: session)
        #expect(server.requests.first?.header("X-Api-Key") == (keeps ? "planted2" : nil))
        #expect(server.requests.first?.header("Accept") == "text/plain")
        try await queue.add(VerifiedDownload(request, to: folder.file("b")))
        try await queue.run(with: session)
        #expect(server.requests.last?.header("X-Api-Key") == "planted2")
    }

    @Test("A folder that others can write, or that is a file, is refused, and a new one is private")
    func folders() async throws {
        _ = try await queue()
        var info = stat()
        #expect(stat(place.path, &info) == 0 && info.st_mode & 0o777 == 0o700)
        #expect(stat(place.appendingPathComponent("journal").path, &info) == 0 && info.st_mode & 0o777 == 0o600)
        chmod(place.path, 0o777)
        var error = await failure { try await queue() } as? TransferQueueError
        guard case .file(_, EPERM, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try Data().write(to: folder.file("file"))
        error = await failure { try await TransferQueue(directory: folder.file("file")) } as? TransferQueueError
        guard case .file(_, ENOTDIR, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A journal with many finished transfers stays small, and numbers are never used again")
    func compaction() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let queue = try await queue { $0.maximumConcurrentTransfers = 8 }
        let path = place.appendingPathComponent("journal").path
        var greatest = 0
        for round in 0..<6 {
            let ids = try await queue.add(
                (0..<300).map { VerifiedDownload(server.url, to: folder.file("\(round)-\($0)")) }
            )
            #expect(ids.first == greatest + 1)
            greatest = ids.last ?? 0
            #expect(try await queue.run(with: session).finishedCount == 300)
            try await queue.removeFinished()
        }
        let size = try RegularFile(reading: path, links: .refuse).size()
        #expect(size < 1_400_000, "\(size)")
        let other = try await self.queue()
        #expect(try await other.add(VerifiedDownload(server.url, to: folder.file("last"))) == greatest + 1)
    }

    @Test("A damaged journal loses the damaged records at most, and is counted")
    func damage() async throws {
        let first = try await queue()
        let urls = try (0..<6).map { try #require(URL(string: "http://127.0.0.1:1/\($0)")) }
        try await first.add(urls.map { VerifiedDownload($0, to: folder.file($0.lastPathComponent)) })
        try await first.pause(2)
        let journal = place.appendingPathComponent("journal")
        let whole = try Data(contentsOf: journal)
        var generator = SeededGenerator(9)
        for round in 0..<500 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                switch round % 4 {
                case 0: bytes[index] = .random(in: 0...255, using: &generator)
                case 1: bytes = Data(bytes.prefix(index))
                case 2: bytes.remove(at: index)
                default: bytes.insert(contentsOf: whole.prefix(30), at: index)
                }
            }
            try bytes.write(to: journal)
            let damaged = try await queue()
            let transfers = try await damaged.transfers()
            // Each transfer is a line, and at most three of the seven lines are damaged, unless the end is missing.
            #expect(transfers.count >= (round % 4 == 1 ? 0 : 3))
            #expect(transfers.allSatisfy { urls.contains($0.url) && [.waiting, .paused].contains($0.state) })
            if bytes != whole, round % 4 != 1 { #expect(try await damaged.damagedRecordCount > 0) }
            let id = try await damaged.add(VerifiedDownload(urls[0], to: folder.file("new")))
            #expect(try await damaged.transfers().contains { $0.id == id })
        }
    }

    @Test("A file that has changed is uploaded with another key, unless it is the user's", arguments: [nil, "own"])
    func keys(own: String?) async throws {
        let file = try folder.file("source", "first")
        let keys = Mutex<[String?]>([])
        let server = try LoopbackServer { request in
            let count = keys.withLock { keys in
                keys.append(request.header("Idempotency-Key"))
                return keys.count
            }
            if count == 1 { try? Data("the second".utf8).write(to: file) }
            return .text("x", statusCode: count < 3 ? 503 : 200)
        }
        let queue = try await queue {
            $0.retryPolicy?.backoff = .init(base: 0.01, multiplier: 1)
            $0.retryPolicy?.maximumRetries = 5
        }
        var upload = FileUpload(file, to: server.url)
        upload.resumption = .none
        upload.request.setValue(own, forHTTPHeaderField: "Idempotency-Key")
        try await queue.add(upload)
        #expect(try await queue.run(with: session).finishedCount == 1)
        let sent = keys.withLock { $0 }
        try #require(sent.count == 3)
        #expect(sent[0] != nil && (sent[0] == sent[1]) == (own != nil) && sent[1] == sent[2])
        #expect(try await queue.store.record(1).upload?.request.fields["Idempotency-Key"] == sent[2])
    }

    @Test("The record of an upload keeps its digests, connections and the uploads of its parts")
    func uploadRecord() throws {
        let urls = try (0..<3).map { try #require(URL(string: "http://host/\($0)")) }
        var upload = FileUpload(folder.file("a"), to: urls[0])
        (upload.checksum, upload.connections) = (.sha512, 3)
        upload.location = .init(url: urls[0], resumption: .tus, laterParts: [urls[1], urls[2]])
        let kept = try QueueRecord.Upload(upload, keepsSecrets: false)
        let read = try JSONDecoder().decode(QueueRecord.Upload.self, from: JSONEncoder().encode(kept)).value
        #expect(read.checksum == .sha512 && read.connections == 3 && read.location == upload.location)
    }

    @Test("Records with any values are taken or left out, and never end the process")
    func records() throws {
        let download = try QueueRecord.Download(
            VerifiedDownload(try #require(URL(string: "http://host/")), to: folder.file("a")),
            keepsSecrets: false
        )
        let whole = try QueueRecord(id: 1, priority: 3, download: download).data
        #expect(QueueRecord(whole) != nil)
        var generator = SeededGenerator(4)
        var taken = 0
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                bytes[index] =
                    [UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "e"), .random(in: 32...126, using: &generator)]
                    .randomElement(using: &generator) ?? 0
            }
            guard let record = QueueRecord(bytes) else { continue }
            taken += 1
            _ = record.work
            _ = QueuedTransfer(record, isRunning: false)
        }
        #expect(taken > 100)
    }
}
