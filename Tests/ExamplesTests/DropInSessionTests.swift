import FerrySession
import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import Examples

@Suite("Example: drop-in session", .timeLimit(.minutes(2)))
struct DropInSessionTests {
    @Test("Code that takes a URLSession works with a CurlSession, which calls its handlers")
    func handlers() async throws {
        let server = try LoopbackServer { _ in .text("first\nsecond\n") }
        let session = Sessions.make()
        #expect(try await FeedReader(session: session).entries(of: server.url("/feed")) == ["first", "second"])
        #expect(session is CurlSession)
    }

    @Test("Its errors are URLSession's")
    func errors() async throws {
        let server = try LoopbackServer { _ in .text("first\n").faulted(.reset(afterBodyBytes: 2)) }
        let error = await #expect(throws: URLError.self) {
            try await FeedReader(session: Sessions.make()).entries(of: server.url("/feed"))
        }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test("A delegate written for URLSession receives the file, and the error")
    func delegate() async throws {
        let server = try LoopbackServer { request in
            request.path == "/boat.png" ? .pattern(count: 100_000) : .empty
        }
        let folder = try TemporaryFolder()
        let (results, continuation) = AsyncStream.makeStream(of: Result<URL, any Error>.self)
        let session = Sessions.make(delegate: AttachmentKeeper(folder: folder.url) { continuation.yield($0) })
        defer { session.finishTasksAndInvalidate() }
        let reader = FeedReader(session: session)
        var iterator = results.makeAsyncIterator()

        let task = reader.fetchAttachment(server.url("/boat.png"))
        #expect(try await iterator.next()?.get() == folder.file("boat.png"))
        #expect(folder.data("boat.png") == LoopbackServer.pattern(count: 100_000))
        #expect(task.countOfBytesReceived == 100_000)

        _ = reader.fetchAttachment(server.url("/none.png"))
        let failure = try #require(await iterator.next())
        #expect(throws: URLError.self) { try failure.get() }
    }

    @Test("Async functions work through a protocol, and through a variable of type URLSession")
    func asyncFunctions() async throws {
        let server = try LoopbackServer { _ in
            .data(Data("<title>Harbour</title>".utf8), contentType: "text/html")
        }
        let session = CurlSession(configuration: .ephemeral)
        #expect(try await pageTitle(of: server.url, with: session) == "Harbour")
        #expect(server.requestCount == 1)

        let plain: URLSession = session
        #expect(try await plain.data(from: server.url).0 == Data("<title>Harbour</title>".utf8))
        #expect(server.requestCount == 2)
    }
}
