import FerryTransfers
import Testing

/// Queues and verified downloads over networks that are down for a while.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct SimulatedTransferTests {
    /// A host with the same entity under each path, whose connections are lost after some bytes.
    private static func host(_ body: [UInt8], isAway: Watched<Bool>, lost: Int) -> SimulatedHost {
        let path = { @Sendable in SimulatedPath(outcome: isAway.current ? .refused : .opens) }
        return SimulatedHost(path: path) { request in
            var range = 0...body.count - 1
            var fields = [(name: "ETag", value: "\"1\""), (name: "Accept-Ranges", value: "bytes")]
            var status = 200
            if let field = request.field("Range") {
                let bounds = field.dropFirst(6).split(separator: "-").compactMap { Int($0) }
                range = bounds[0]...(bounds.count > 1 ? bounds[1] : body.count - 1)
                fields.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound)/\(body.count)"))
                status = 206
            }
            var response = SimulatedResponse(status, Array(body[range]), fields: fields)
            (response.pieceSize, response.pieceDelay) = (16_384, 0.2)
            if response.body.count > lost { response.end = .reset(after: lost) }
            return response
        }
    }

    @Test("A queue whose network is away for half an hour finishes by itself, with every byte right")
    func outage() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let folder = try TemporaryFolder()
                defer { withExtendedLifetime(folder) {} }
                let body = Simulated.pattern(600_000)
                let isAway = Watched(false)
                Simulation.shared.add(Self.host(body, isAway: isAway, lost: 150_000), named: "a.test")
                var options = TransferQueue.Options()
                options.retryPolicy?.backoff = RetryPolicy.Backoff(base: 60, cap: 900, hasJitter: false)
                options.retryPolicy?.maximumRetries = 20
                let queue = try await TransferQueue(directory: folder.file("queue"), options: options)
                for number in 0..<6 {
                    let file = folder.file("\(number)")
                    try await queue.add(VerifiedDownload(try Simulated.url("http://a.test/\(number)"), to: file))
                }
                Simulation.shared.after(1) { isAway.change { $0 = true } }
                Simulation.shared.after(1_801) { isAway.change { $0 = false } }
                let summary = try await queue.run(with: Simulated.session())
                #expect(summary.finishedCount == 6 && summary.failedCount == 0)
                #expect((1_800..<3_600).contains(Simulation.shared.seconds), "\(Simulation.shared.seconds)")
                for number in 0..<6 {
                    let file = folder.file("\(number)")
                    #expect(try Data(contentsOf: file) == Data(body), "\(number)")
                }
            }
        }
    }

    @Test("Several connections that are lost again and again still make the file")
    func segments() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let folder = try TemporaryFolder()
                defer { withExtendedLifetime(folder) {} }
                let body = Simulated.pattern(8_000_000)
                Simulation.shared.add(Self.host(body, isAway: Watched(false), lost: 400_000), named: "a.test")
                let file = folder.file("file")
                let url = try Simulated.url("http://a.test/")
                let outcome = try await Simulated.session().download(VerifiedDownload(url, to: file, connections: 4))
                #expect(outcome.byteCount == 8_000_000)
                #expect(try Data(contentsOf: file) == Data(body))
            }
        }
    }

    @Test("A source that refuses connections is asked six times, after delays that grow")
    func refusals() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let folder = try TemporaryFolder()
                let connections = Watched(0)
                let host = SimulatedHost(
                    path: { @Sendable in
                        connections.change { $0 += 1 }
                        return SimulatedPath(outcome: .refused)
                    },
                    respond: { _ in SimulatedResponse(404, []) }
                )
                Simulation.shared.add(host, named: "a.test")
                let download = VerifiedDownload(try Simulated.url("http://a.test/"), to: folder.file("file"))
                await #expect(throws: (any Error).self) { try await Simulated.session().download(download) }
                #expect(connections.current == 6)
                // The five delays are 0.1, 0.2, 0.4, 0.8 and 1.6 seconds, and connecting takes time too.
                #expect((3.1..<6).contains(Simulation.shared.seconds), "\(Simulation.shared.seconds)")
            }
        }
    }

    @Test("Uploads and queues wait as long as a server asks, and fail if that is too long", arguments: [50, 100])
    func serverDelay(seconds: Double) async {
        await #expect(processExitsWith: .success) { [seconds] in
            try await Simulation.shared.run {
                let requests = Watched<[String]>([])
                let host = SimulatedHost { request in
                    requests.change { $0.append(request.target) }
                    if request.time >= seconds { return .text("x") }
                    return SimulatedResponse(429, fields: [("Retry-After", "\(Int(seconds - request.time) + 1)")])
                }
                Simulation.shared.add(host, named: "a.test")
                let folder = try TemporaryFolder()
                defer { withExtendedLifetime(folder) {} }
                let (file, session) = (folder.file("file"), Simulated.session())
                try Data(count: 10).write(to: file)
                let parts = PartUpload(file) { _ in try Simulated.request("http://a.test/part", "PUT") }
                let upload = FileUpload(file, to: try Simulated.url("http://a.test/file"))
                let queue = try await TransferQueue(directory: folder.file("queue"))
                try await queue.add(VerifiedDownload(try Simulated.url("http://a.test/"), to: folder.file("download")))
                async let partsAreSent = (try? await session.upload(parts)) != nil
                async let isSent = (try? await session.upload(upload)) != nil
                async let summary = queue.run(with: session)
                let results = (await partsAreSent, await isSent, try await summary.finishedCount == 1)
                #expect(results == (seconds == 50, seconds == 50, seconds == 50))
                #expect((seconds == 50 ? 50..<55 : 0..<10).contains(Simulation.shared.seconds))
                #expect(requests.current.count { $0 == "/part" } == (seconds == 50 ? 2 : 1))
            }
        }
    }

    @Test("A limit holds for an upload that takes minutes")
    func limitedUpload() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let received = Watched(0)
                let host = SimulatedHost { request in
                    received.change { $0 = request.body.count }
                    return .text("")
                }
                Simulation.shared.add(host, named: "a.test")
                let folder = try TemporaryFolder()
                defer { withExtendedLifetime(folder) {} }
                let file = folder.file("file")
                try Data(count: 40_000).write(to: file)
                var request = try Simulated.request("http://a.test/", "PUT", timeout: 100_000)
                request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
                var upload = FileUpload(file, for: request)
                upload.limit = BandwidthLimit(bytesPerSecond: 100)
                let session = Simulated.session { $0.timeoutIntervalForResource = 1_000_000 }
                let outcome = try await session.upload(upload)
                #expect(outcome.byteCount == 40_000 && received.current == 40_000)
                #expect((390..<410).contains(Simulation.shared.seconds), "\(Simulation.shared.seconds)")
            }
        }
    }
}
