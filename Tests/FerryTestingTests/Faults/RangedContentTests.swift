import FerrySession
import FerryTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct RangedContentTests {
    @Test("Ranges, conditions and their failures have the statuses of RFC 9110") func statuses() throws {
        let content = RangedContent(count: 1_000)
        func status(_ headers: LoopbackHeaders, _ method: String = "GET") -> Int {
            content.response(to: LoopbackRequest(method: method, headers: headers)).statusCode
        }
        #expect(status([:]) == 200)
        #expect(status([:], "HEAD") == 200)
        #expect(status(["Range": "bytes=10-"]) == 206)
        #expect(status(["Range": "bytes=10-", "If-Range": "\"pattern-1000\""]) == 206)
        #expect(status(["Range": "bytes=10-", "If-Range": "\"other\""]) == 200)
        #expect(status(["Range": "bytes=10-", "If-Range": "W/\"pattern-1000\""]) == 200)
        #expect(status(["Range": "bytes=1000-"]) == 416)
        #expect(status(["If-None-Match": "\"pattern-1000\""]) == 304)
        #expect(status(["If-Match": "\"other\""]) == 412)
        #expect(status([:], "DELETE") == 405)
    }

    @Test("The connection of each response is reset after the same number of bytes") func resets() throws {
        let content = RangedContent(count: 100_000, resetsEvery: 40_000)
        let server = try LoopbackServer(handler: content.handler)
        var body = Data()
        var connections = 0
        while body.count < content.count {
            let client = try RawClient(server)
            try client.request("GET", "/", ["Range: bytes=\(body.count)-", "If-Range: \"pattern-100000\""])
            #expect(try client.head().status == 206)
            let piece = connections < 2 ? client.receiveAll().data : try client.receive(exactly: 20_000)
            #expect(piece.count == (connections < 2 ? 40_000 : 20_000))
            body += piece
            connections += 1
        }
        #expect(connections == 3)
        #expect(body == LoopbackServer.pattern(count: 100_000))
    }

    @Test("A head and a response without a body are not reset") func noBody() throws {
        let content = RangedContent(count: 1_000, resetsEvery: 0)
        let server = try LoopbackServer(handler: content.handler)
        let client = try RawClient(server)
        #expect(try client.exchange("HEAD", "/").headers["Content-Length"] == "1000")
        #expect(try client.exchange("GET", "/", ["Range: bytes=1000-"]).status == 416)
        #expect(try client.exchange("GET", "/", ["If-None-Match: *"]).status == 304)
    }

    @Test("Odd sizes are harmless", arguments: [(-1, 5), (0, 0), (3, -7), (3, Int.max)])
    func oddSizes(count: Int, interval: Int) throws {
        let content = RangedContent(count: count, resetsEvery: interval)
        #expect(content.count == max(0, count))
        let server = try LoopbackServer(handler: content.handler)
        let client = try RawClient(server)
        try client.request("GET", "/")
        #expect(try client.head().status == 200)
    }

    @Test("A download is continued over a link that breaks, until it is complete") func download() async throws {
        let content = RangedContent(count: 1_000_000, resetsEvery: 300_000)
        let server = try LoopbackServer(handler: content.handler)
        let session = CurlSession(configuration: .ephemeral)
        var resumeData: Data?
        var file: URL?
        for _ in 0..<10 where file == nil {
            do {
                if let resumeData {
                    file = try await session.download(resumeFrom: resumeData).0
                } else {
                    file = try await session.download(from: server.url).0
                }
            } catch let error as URLError {
                resumeData = error.userInfo[URLSessionDownloadTaskResumeData] as? Data ?? resumeData
            }
        }
        let data = try Data(contentsOf: #require(file))
        #expect(data == LoopbackServer.pattern(count: 1_000_000))
        try FileManager.default.removeItem(at: #require(file))
    }
}
