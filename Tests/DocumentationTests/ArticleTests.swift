import Ferry
import FerryTesting
import TestSupport
import Testing

/// Runs the code of other articles than the cookbook.
@Suite("What articles show", .timeLimit(.minutes(2)))
struct ArticleTests {
    @Test("An interrupted download is continued, and begins again if its record cannot be used")
    func resume() async throws {
        let count = Watched(0)
        let server = try LoopbackServer { request in
            let isFirst = count.change { count in
                count += 1
                return count == 1
            }
            let response = LoopbackResponse.resource(.pattern(count: 100_000), etag: "\"one\"", for: request)
            return isFirst ? response.faulted(.truncate(afterBodyBytes: 50_000)) : response
        }
        let folder = try TemporaryFolder()
        let (record, file) = (folder.file("record"), folder.file("file"))
        let session = CurlSession(configuration: .ephemeral)
        func fetch() async throws {
            try await TransportSnippets.resume(session: session, url: server.url, record: record, destination: file)
            #expect(try Data(contentsOf: file).count == 100_000)
            #expect(!FileManager.default.fileExists(atPath: record.path))
            try FileManager.default.removeItem(at: file)
        }
        try await fetch()
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=50000-"])
        try Data("no resume data".utf8).write(to: record)
        try await fetch()
        #expect(server.requests.count == 3)
    }

    @Test("A protocol class loads with a task of another session")
    func forwarding() async throws {
        let server = try LoopbackServer { request in .text(request.path, statusCode: 201) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ForwardingProtocol.self]
        let session = CurlSession(configuration: configuration)
        let (data, response) = try await session.data(from: server.url("/a"))
        #expect(String(decoding: data, as: UTF8.self) == "/a")
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
    }
}
