import FerryFormats
import Foundation
import Testing

@Suite("Task responses")
struct TaskResponseTests {
    private struct Broken: Error {}

    private let failure = NetworkError(.unacceptableStatusCode, message: "no")

    @Test("The result is the error if there is one, else the value, else the error noValue")
    func result() throws {
        #expect(try TaskResponse(value: 1).get() == 1)
        let both = TaskResponse(value: 1, error: failure)
        #expect(throws: NetworkError.self) { try both.get() }
        #expect(both.value == 1)
        let sample = SampleResponse(204)
        let neither = TaskResponse<Int>(request: try sample.request(), response: try sample.http())
        guard case .failure(let error) = neither.result else {
            Issue.record("A response with neither value nor error is a failure")
            return
        }
        #expect(error.code == .noValue)
        #expect(error.statusCode == 204)
        #expect(error.message == "The response to http://example.com/path has no body that Int could be made of")
        #expect(try TaskResponse<Int?>(value: .some(nil)).get() == nil)
        #expect(throws: NetworkError.self) { try TaskResponse<Int?>().get() }
        #expect(try TaskResponse<any Sendable>().get() is Empty)
        #expect(throws: NetworkError.self) { try TaskResponse<any Sendable>(error: failure).get() }
    }

    @Test("Header fields are looked up ignoring case")
    func lookups() throws {
        let response = TaskResponse<Int>(response: try SampleResponse(201, "text/html").http())
        #expect(response.statusCode == 201)
        #expect(response.header("content-TYPE") == "text/html")
        #expect(response.header("X-None") == nil)
        #expect(response.headerFields == ["Content-Type": "text/html"])
        #expect(TaskResponse<Int>().statusCode == nil)
        #expect(TaskResponse<Int>().headerFields.isEmpty)
    }

    @Test("Mapping keeps everything but the value")
    func map() throws {
        let metrics = TaskMetrics(startDate: Date(timeIntervalSince1970: 1))
        let whole = TaskResponse(
            request: try SampleResponse().request(),
            response: try SampleResponse(404).http(),
            data: Data([1]),
            fileURL: URL(filePath: "/tmp/x"),
            value: 2,
            error: failure,
            metrics: metrics
        )
        let mapped = whole.map { "\($0)" }
        #expect(mapped.value == "2")
        #expect(mapped.error?.code == .unacceptableStatusCode)
        #expect(mapped.data == Data([1]))
        #expect(mapped.fileURL == whole.fileURL)
        #expect(mapped.metrics == metrics)
        #expect(mapped.request == whole.request)
        #expect(mapped.statusCode == 404)
    }

    @Test("An error thrown by a transform becomes the error, with the previous one underneath")
    func tryMap() throws {
        let whole = TaskResponse(value: 2, error: failure)
        #expect(whole.tryMap { $0 + 1 }.value == 3)
        let broken: TaskResponse<Int> = whole.tryMap { _ in throw Broken() }
        #expect(broken.value == nil)
        #expect(broken.error?.codes == [.decodingFailed, .unacceptableStatusCode])
        #expect(broken.error?.decodingError is Broken)
        let typed: TaskResponse<Int> = whole.tryMap { _ in throw NetworkError(.timedOut, message: "t") }
        #expect(typed.error?.code == .timedOut)
        let none: TaskResponse<Int> = TaskResponse<Int>(error: failure).tryMap { _ in throw Broken() }
        #expect(none.error?.codes == [.unacceptableStatusCode])
    }
}
