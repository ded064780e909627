import FerrySession
import FerryTesting
import TestSupport
import Testing

#if compiler(>=6.2)
/// Memory is shared within a process, so these tests run in a separate one.
@Suite(
    .slow,
    .serialized,
    .timeLimit(.minutes(5)),
    .disabled(if: ProcessUsage.isThreadSanitized, "The sanitizer's own memory distorts the result"),
    .ownThreads
)
struct MemoryTests {
    @Test("A bomb uses no memory while its delegate is slow, and is delivered completely") func bomb() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { request in
                let isGreat = request.path == "/great"
                return LoopbackResponse(
                    headers: ["Content-Encoding": isGreat ? "gzip, gzip, gzip" : "gzip, gzip"],
                    body: .data(isGreat ? Samples.greatBomb : Samples.bomb)
                )
            }
            let received = Watched(0)
            var hooks = DelegateHooks()
            hooks.keepsData = false
            hooks.onData = { task, data in
                let isFirst = received.change { count in
                    defer { count += data.count }
                    return count == 0
                }
                if isFirst { Thread.sleep(forTimeInterval: 0.5) }
            }
            let recorder = RecordingDelegate(hooks)
            let session = Wire.session(recorder)
            _ = try await recorder.run(session.dataTask(with: server.url("/missing")))
            let before = ProcessUsage.peakResidentBytes
            received.change { $0 = 0 }
            let outcome = try await recorder.run(session.dataTask(with: server.url("/small")))
            #expect(outcome.error == nil && received.current == 67_108_864)
            received.change { $0 = 0 }
            let great = session.dataTask(with: server.url("/great"))
            great.resume()
            // The cancellation comes during the first callback, which takes half a second.
            try await Task.sleep(for: .seconds(0.4))
            great.cancel()
            #expect(try await recorder.completion(of: great).error?.code == .cancelled)
            let growth = ProcessUsage.peakResidentBytes - before
            #expect(growth < 24_000_000, "\(growth) bytes more")
        }
    }

    @Test("A bomb that is written to a file can be cancelled, and uses no memory") func fileBomb() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in
                LoopbackResponse(headers: ["Content-Encoding": "gzip, gzip, gzip"], body: .data(Samples.greatBomb))
            }
            let folder = try Wire.temporaryFolder()
            defer { Wire.remove(folder) }
            var options = CurlSession.Options()
            options.temporaryDirectory = folder
            let recorder = RecordingDelegate()
            let session = Wire.session(recorder, options: options)
            let before = ProcessUsage.peakResidentBytes
            let task = session.downloadTask(with: server.url)
            task.resume()
            try await eventually { task.countOfBytesReceived > 0 }
            let start = ContinuousClock.now
            task.cancel()
            #expect(try await recorder.completion(of: task).error?.code == .cancelled)
            try await eventually { Wire.contents(of: folder) == [] }
            #expect(Wire.seconds(since: start) < 5 * patience)
            let growth = ProcessUsage.peakResidentBytes - before
            #expect(growth < 24_000_000, "\(growth) bytes more")
        }
    }

    @Test("Gap 12: a blocked delegate pauses the server and does not use memory") func blockedDelegate() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .pattern(count: 200_000_000) }
            let gate = Gate()
            var hooks = DelegateHooks()
            hooks.keepsData = false
            hooks.onData = { _, _ in gate.wait() }
            let recorder = RecordingDelegate(hooks)
            let session = Wire.session(recorder)
            let before = ProcessUsage.peakResidentBytes
            let task = session.dataTask(with: server.url)
            task.resume()
            try await eventually { gate.arrived == 1 }
            let sent = try await settled { server.sentByteCount }
            #expect(sent < 40_000_000)
            let growth = ProcessUsage.peakResidentBytes - before
            #expect(growth < 24_000_000, "\(growth) bytes more")
            task.cancel()
            gate.open()
            #expect(try await recorder.completion(of: task).error?.code == .cancelled)
        }
    }
}
#endif
