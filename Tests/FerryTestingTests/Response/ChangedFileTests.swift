import FerryTesting
import Foundation
import TestSupport
import Testing

/// Files that change between the announcement of their length and the reading of their bytes.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct ChangedFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Of a file that has grown, the announced bytes are sent, and the next response follows them")
    func longer() throws {
        let content = LoopbackServer.pattern(count: 10)
        let file = try folder.file("body", content)
        for headers in [[:], ["Content-Length": "10"]] as [LoopbackHeaders] {
            try content.write(to: file)
            // The file grows while the server waits.
            let response = LoopbackResponse(headers: headers, body: .file(file)).delayed(body: 0.3)
            let server = try LoopbackServer { _ in response }
            let client = try RawClient(server)
            try client.request("GET", "/")
            #expect(try client.head().headers["Content-Length"] == "10")
            #expect(truncate(file.path, 20) == 0)
            #expect(try client.receive(exactly: 10) == content)
            #expect(try client.exchange("HEAD", "/").statusLine == "HTTP/1.1 200 OK")
        }
    }

    @Test("The connection is closed if a file lacks bytes that were announced") func shorter() throws {
        let file = try folder.file("body", Data())
        // The buffers of the connection hold less, so that the server still reads when the client has the head.
        let length = 500_000_000
        try #require(truncate(file.path, length) == 0)
        let server = try LoopbackServer { _ in .file(file) }
        let client = try RawClient(server)
        try client.request("GET", "/")
        #expect(try client.head().headers["Content-Length"] == "\(length)")
        #expect(truncate(file.path, 0) == 0)
        let end = client.receiveAll()
        #expect(end.data.count < length)
        #expect(end.error == nil)
    }
}
