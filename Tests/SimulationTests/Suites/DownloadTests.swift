import Testing

/// Downloads over connections that do not last.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct SimulatedDownloadTests {
    /// A host with one entity, which resets each connection after a random number of bytes.
    private static func host(_ body: [UInt8], seed: UInt64, _ ranges: Watched<[Int]>) -> SimulatedHost {
        let generator = Watched(SeededGenerator(seed))
        return SimulatedHost { request in
            let start = request.field("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            ranges.append(start)
            var response = SimulatedResponse(start == 0 ? 200 : 206, Array(body[start...]), fields: [("ETag", "\"1\"")])
            if start > 0 {
                response.fields.append(("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)"))
            }
            (response.pieceSize, response.pieceDelay) = (65_536, 1)
            let count = generator.change { Int.random(in: 1_024..<150_000, using: &$0) }
            response.end = count < response.body.count ? .reset(after: count) : .complete
            return response
        }
    }

    @Test("A download without a body that was held back reports no bytes")
    func empty() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let host = SimulatedHost { _ in SimulatedResponse(429, fields: [("Retry-After", "3600")]) }
                Simulation.shared.add(host, named: "a.test")
                let recorder = RecordingDelegate()
                let session = Simulated.session(recorder, options: SimulatedRetryTests.options { _ in })
                let task = session.downloadTask(with: try Simulated.url("http://a.test/"))
                task.resume()
                let record = await Simulated.completion(of: task, recorder)
                #expect(record.names == ["finishedDownload", "completed"])
                #expect(recorder.violations == [])
            }
        }
    }

    @Test("A large body that is reset many times is continued byte by byte", arguments: 1...3 as ClosedRange<UInt64>)
    func resets(seed: UInt64) async {
        await #expect(processExitsWith: .success) { [seed] in
            try await Simulation.shared.run {
                let body = Simulated.pattern(3_000_000)
                let ranges = Watched<[Int]>([])
                Simulation.shared.add(Self.host(body, seed: seed, ranges), named: "a.test")
                let session = Simulated.session(options: SimulatedRetryTests.options { _ in })
                let url = try Simulated.url("http://a.test/x")
                let (file, _) = try await session.download(from: url)
                defer { try? FileManager.default.removeItem(at: file) }
                #expect(try Data(contentsOf: file) == Data(body), "seed \(seed)")
                #expect(ranges.current.count > 20, "seed \(seed)")
                #expect(ranges.current == ranges.current.sorted(), "seed \(seed)")
                let (data, _) = try await session.data(from: url)
                #expect(data == Data(body), "seed \(seed)")
            }
        }
    }
}
