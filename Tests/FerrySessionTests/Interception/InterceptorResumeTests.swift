import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Downloads that an interceptor ends after a part of the body was received.
@Suite(.timeLimit(.minutes(5)))
struct InterceptorResumeTests {
    private struct Refusal: Error, Equatable {}

    enum End: CaseIterable {
        /// The interceptor decides that the task fails.
        case decision
        /// The interceptor throws an error when it is asked for the request of the next attempt.
        case adaptation
    }

    @Test("The error of an interceptor has resume data, with which the download is continued", arguments: End.allCases)
    func download(_ end: End) async throws {
        let (size, part) = (500_000, 200_000)
        let server = try LoopbackServer { request in
            let whole = LoopbackResponse.resource(.pattern(count: size), etag: "v1", for: request)
            return request.header("Range") == nil ? whole.faulted(.truncate(afterBodyBytes: part)) : whole
        }
        let interceptor = ClosureInterceptor { _, attempt in
            if attempt.number > 1 { throw Refusal() }
        } decide: { _, _ in
            end == .decision ? .fail(Refusal()) : .retry
        }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let task = session.downloadTask(with: server.url)
        task.interceptors = [interceptor]
        let error = try #require(await recorder.run(task).error)
        #expect(error.userInfo[NSUnderlyingErrorKey] as? Refusal == Refusal())
        #expect(server.requests.count == 1)
        let data = try #require(error.userInfo[URLSessionDownloadTaskResumeData] as? Data)
        let rest = try await recorder.run(session.downloadTask(withResumeData: data))
        #expect(rest.error == nil)
        #expect(rest.file == LoopbackServer.pattern(count: size))
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=\(part)-"])
        #expect(recorder.violations == [])
    }

    @Test("After bytes that could not be delivered, another attempt begins with them", arguments: [60_000, 90_000])
    func undelivered(_ size: Int) async throws {
        let server = try LoopbackServer { .resource(.pattern(count: size), etag: "v1", for: $0) }
        var options = CurlSession.Options()
        options.maximumBodySizeInMemory = 50_000
        options.interceptors = [ClosureInterceptor(decide: { _, failure in failure.error != nil ? .retry : .proceed })]
        let session = Wire.session(options: options)
        let error = await Wire.error { try await session.data(from: server.url) }
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(server.requestCount > 1)
        for range in server.requests.compactMap({ $0.header("Range") }) {
            let offset = try #require(Int(range.dropFirst("bytes=".count).dropLast()))
            #expect(offset <= 50_000)
        }
    }
}
