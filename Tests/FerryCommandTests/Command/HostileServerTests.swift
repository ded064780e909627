import FerryTesting
import Foundation
import Testing

/// Servers that announce arbitrary numbers, and unexpected files in the places of the command's own files.
@Suite(
    "Hostile servers and files",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct HostileServerTests {
    private let folder: TemporaryFolder
    private static let largest = "\(Int64.max)"

    init() throws {
        folder = try TemporaryFolder()
    }

    private func leave(_ part: String, url: String, validator: String = #"\"v1\""#, length: String? = nil) throws {
        try folder.file("x.bin.part", part)
        let end = length.map { #","length":\#($0)"# } ?? ""
        try folder.file("x.bin.part.ferry", #"{"url":"\#(url)","validator":"\#(validator)"\#(end)}"#)
    }

    @Test(
        "The largest possible Content-Length is an error, not a crash",
        arguments: [["-d", "a=b"], ["-o", "x.bin"], ["-so", "x.bin"], []]
    )
    func largestLength(_ arguments: [String]) async throws {
        let server = try RawServer(
            answering: "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(Self.largest)\r\n\r\nhello"
        )
        let outcome = try await FerryProcess.run(arguments + [server.url().absoluteString], in: folder)
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(outcome.errors.contains("ferry: "))
    }

    @Test(
        "Chunks that are complete are a whole file, whatever the Content-Length is",
        arguments: ["3", "16", "123456", largest]
    )
    func chunksWithLength(_ length: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try RawServer(answering: head + "10\r\nchunked data fun\r\n0\r\n\r\n")
        let url = server.url().absoluteString
        for arguments in [["-o", "x.bin"], ["-o", "x.bin", "--connections", "2"], ["-CO", "--output-dir", "."]] {
            let outcome = try await FerryProcess.run(["-s"] + arguments + [url + "x.bin"], in: folder)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(arguments) \(outcome.errors)")
            #expect(folder.text("x.bin") == "chunked data fun", "\(arguments)")
        }
    }

    @Test("A server cannot name a file like a partial file of the command")
    func plantedRecord() async throws {
        try folder.file("notes.txt", "my notes")
        let server = try LoopbackServer { request in
            let name = request.path == "/one" ? "notes.txt.part.ferry" : "notes.txt.part"
            return .text("evil").adding("Content-Disposition", "attachment; filename=\(name)")
        }
        for name in ["one", "two"] {
            let address = server.url("/\(name)").absoluteString
            #expect(try await FerryProcess.run(["-sO", address], in: folder).status == 0)
        }
        #expect(folder.names == ["notes.txt", "one", "two"])
    }

    @Test("The sum of two such lengths does not overflow")
    func largestLengths() async throws {
        let server = try RawServer(
            answering: "HTTP/1.1 200 OK\r\nContent-Length: \(Self.largest)\r\n\r\nhello"
        )
        let outcome = try await FerryProcess.run(
            [
                "-P2", "-o", "a", "-o", "b", "--json-log", "log", server.url().absoluteString,
                server.url("/b").absoluteString,
            ],
            in: folder
        )
        #expect(outcome.status == 7, "\(outcome.errors)")
    }

    @Test(
        "A range of impossible length does not overflow",
        arguments: ["bytes 5-9/*", "bytes 5-\(Int64.max - 1)/*", "bytes 5-\(Int64.max - 1)/\(Int64.max)"]
    )
    func largestRest(_ range: String) async throws {
        let server = try RawServer(
            answering: "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: \(range)\r\n"
                + "Content-Length: \(Self.largest)\r\n\r\nworld"
        )
        try leave("hello", url: server.url().absoluteString)
        let outcome = try await FerryProcess.run(["-Co", "x.bin", server.url().absoluteString], in: folder)
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(folder.data("x.bin") == nil)
    }

    @Test(
        "A record with an invalid validator sends nothing, and the error names the field",
        arguments: [
            #"\"v1\"\r\nX-Injected: 1"#, #"x\r\n\r\nGET /second HTTP/1.1"#, "v1", #"W/\"v1\""#, #"\"a\u0000b\""#,
        ]
    )
    func injectedValidator(_ validator: String) async throws {
        let server = try LoopbackServer()
        let url = server.url("/bytes/100").absoluteString
        try leave("hello", url: url, validator: validator)
        let outcome = try await FerryProcess.run(["-Co", "x.bin", url], in: folder)
        #expect(outcome.status == 23, "\(outcome.errors)")
        #expect(outcome.errors.contains("x.bin.part.ferry: its validator is neither"))
        #expect(server.requestCount == 0)
        #expect(folder.text("x.bin.part") == "hello")
    }

    @Test(
        "A pipe in place of the partial file or its record is an error, and opening it does not block",
        arguments: ["x.bin.part", "x.bin.part.ferry"]
    )
    func pipes(_ name: String) async throws {
        let server = try LoopbackServer()
        let url = server.url("/bytes/100").absoluteString
        try leave("hello", url: url)
        unlink(folder.path(name))
        #expect(mkfifo(folder.path(name), 0o600) == 0)
        let outcome = try await FerryProcess.run(["-Co", "x.bin", url], in: folder)
        #expect(outcome.status == 23, "\(outcome.errors)")
        #expect(outcome.errors.contains("\(name): "))
        #expect(server.requestCount == 0)
    }

    @Test("A pipe named like a record in the working folder does not block -O")
    func pipeBeside() async throws {
        let server = try LoopbackServer()
        #expect(mkfifo(folder.path("other.part.ferry"), 0o600) == 0)
        let outcome = try await FerryProcess.run(["-sCO", server.url("/bytes/100").absoluteString], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(folder.data("100")?.count == 100)
    }
}
