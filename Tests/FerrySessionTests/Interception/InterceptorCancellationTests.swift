import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Interceptors that the task does not wait for any more.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct InterceptorCancellationTests {
    /// An interceptor that waits until it is cancelled, and whose cancellation handler blocks its thread.
    private struct Waiting: RequestInterceptor {
        /// What the cancellation handler waits for.
        let gate = Gate()
        let isWaiting = Watched(false)
        /// The name of the thread that runs the cancellation handler.
        let thread = Watched<String?>(nil)
        let hasEnded = Watched(false)

        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            try await withTaskCancellationHandler {
                isWaiting.change { $0 = true }
                try await Task.sleep(for: .seconds(600))
                return request
            } onCancel: {
                thread.change { $0 = Self.threadName }
                gate.wait()
                hasEnded.change { $0 = true }
            }
        }

        private static var threadName: String {
            let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            return text?.trimmingCharacters(in: .newlines) ?? "?"
        }
    }

    @Test(
        "The cancellation handler of an interceptor runs, not on the engine's thread, and delays no other task",
        arguments: [URLError.Code.cancelled, .timedOut]
    )
    func handler(_ code: URLError.Code) async throws {
        let server = try LoopbackServer { _ in .text("yes") }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let interceptor = Waiting()
        defer { interceptor.gate.open() }
        let task = session.dataTask(with: server.url("/intercepted"))
        task.interceptors = [interceptor]
        // This is later than the start of the interceptor's wait, also on a busy machine.
        if code == .timedOut { task.deadline = 8 * patience }
        task.resume()
        try await interceptor.isWaiting.wait { $0 }
        if code == .cancelled { task.cancel() }
        let name = try await interceptor.thread.wait { $0 != nil }
        #expect(name != "Ferry")
        for _ in 0..<3 { #expect(try await recorder.run(session.dataTask(with: server.url)).text == "yes") }
        #expect(try await recorder.completion(of: task).error?.code == code)
        #expect(!interceptor.hasEnded.current)
        interceptor.gate.open()
        try await interceptor.hasEnded.wait { $0 }
        #expect(server.requests.map(\.path) == ["/", "/", "/"])
        #expect(recorder.violations == [])
    }
}
