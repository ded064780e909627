import FerrySession
import TestSupport
import Testing

/// A hostile response to a request that several tasks share.
@Suite("Hostile responses to shared requests", .ownThreads, .timeLimit(.minutes(5)))
struct HostileSharingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The error that each of the tasks ends with; `nil` for a response with the body "ok".
        let code: URLError.Code?
        let respond: @Sendable (RawServer.Connection) -> Void

        init(_ name: String, _ code: URLError.Code?, _ respond: @escaping @Sendable (RawServer.Connection) -> Void) {
            (testDescription, self.code, self.respond) = (name, code, respond)
        }
    }

    private static let cases = [
        Case("no HTTP", .cannotParseResponse) { $0.write("\u{1}\u{2}garbage\r\n\r\n") },
        Case("two lengths", .cannotParseResponse) {
            $0.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!")
        },
        Case("no response", .networkConnectionLost) { _ in },
        Case("the end within the body", .networkConnectionLost) {
            $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok")
        },
        Case("a reset within the body", .networkConnectionLost) {
            $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok")
            $0.resetOnClose()
        },
        Case("a damaged coding", .cannotDecodeContentData) {
            $0.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok")
        },
        Case("an endless body", .dataLengthExceedsMaximum) {
            $0.write("HTTP/1.1 200 OK\r\n\r\n")
            while $0.write(Data(count: 65_536)) {}
        },
        Case("endless header fields", .dataLengthExceedsMaximum) {
            $0.write("HTTP/1.1 200 OK\r\n")
            while $0.write("X: \(String(repeating: "x", count: 10_000))\r\n") {}
        },
        Case("an endless redirect", .httpTooManyRedirects) {
            $0.write("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        },
        Case("a second response", nil) {
            $0.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        },
    ]

    @Test("Each task completes once with its own end, and no other request waits", arguments: cases)
    func each(_ hostile: Case) async throws {
        let gate = Gate()
        let server = try RawServer { connection in
            connection.readHead()
            gate.wait()
            hostile.respond(connection)
        }
        var options = CurlSession.Options()
        options.coalescesIdenticalRequests = true
        options.maximumBodySizeInMemory = 2_097_152
        let session = makeSession(options: options)
        let results = Watched<[[Result<Data, URLError>]]>(Array(repeating: [], count: 11))
        func send(_ index: Int) {
            session.dataTask(with: server.url()) { data, _, error in
                let failure = error.map { $0 as? URLError ?? URLError(.unknown) }
                results.change { $0[index].append(failure.map { .failure($0) } ?? .success(data ?? Data())) }
            }.resume()
        }
        try await Bystander.watching(session) {
            for index in 0..<10 { send(index) }
            try await eventually("the first request") { gate.arrived > 0 }
            try await session.overtake()
            gate.open()
            try await eventually("the end of each task") {
                results.change { $0.prefix(10).allSatisfy { !$0.isEmpty } }
            }
            // The bytes after a response belong to no request.
            send(10)
            try await eventually("the end of the next task") { results.change { !$0[10].isEmpty } }
        }
        for ends in results.current {
            #expect(ends.count == 1)
            switch ends.first {
            case nil: break
            case .success(let data)?: #expect(hostile.code == nil && data == Data("ok".utf8))
            case .failure(let error)?: #expect(error.code == hostile.code, "\(error)")
            }
        }
    }
}
