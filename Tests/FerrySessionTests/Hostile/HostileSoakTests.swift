import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Very many requests through one session, a fifth of them to hostile servers.
///
/// `FERRY_SOAK` scales the number: `1`, the default, is 10,000 requests; `100` is a million.
@Suite("Hostile soak", .slow, .serialized, .timeLimit(.minutes(60)), .ownThreads)
struct HostileSoakTests {
    @Test("10,000 requests with 2,000 hostile responses all end as expected, and nothing leaks") func soak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let scale = ProcessInfo.processInfo.environment["FERRY_SOAK"].flatMap { Double($0) } ?? 1
                do {
                    let soak = try HostileSoak()
                    // The first requests fill pools and caches.
                    try await soak.run(2_000)
                    let before = (descriptors: ProcessUsage.descriptors, bytes: ProcessUsage.residentBytes)
                    let start = ContinuousClock.now
                    let count = max(1_000, Int(10_000 * scale))
                    try await soak.run(count)
                    print("hostile soak: \(count) requests in \(ContinuousClock.now - start), \(soak.tally.summary)")
                    try Child.expect(soak.tally.problems == [], "\(soak.tally.problems.prefix(5))")
                    try Child.expect(soak.tally.finished == count + 2_000, "\(soak.tally.finished) ends")
                    let growth = ProcessUsage.residentBytes - before.bytes
                    var descriptors: Int { ProcessUsage.descriptors - before.descriptors }
                    print("hostile soak: \(growth) more bytes, \(descriptors) more descriptors")
                    // Both ends of idle connections are in this process, and their number varies slightly. A leak would
                    // be one for each response of a kind, of which there are more than a hundred.
                    try await eventually("at most 40 more descriptors") { descriptors <= 40 }
                    // The sanitizer keeps memory for each thread that ever existed.
                    try Child.expect(growth < 24_000_000 || ProcessUsage.isThreadSanitized, "\(growth) more bytes")
                }
                try await eventually("no thread") { ProcessUsage.ferryThreads == 0 }
            }
        }
        Child.check(result?.standardOutputContent)
        let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        for line in lines where line.hasPrefix("hostile soak:") { print(line) }
    }
}

/// The server's behavior, chosen by the number in the request's path.
private enum Attack: Int, CaseIterable {
    case shortBody
    case noStatusLine
    case resetAfterHead
    case largestLength
    case foldedFirstLine
    case damagedGzip
    case unaskedResponse
    case manyFields
    case notANumber
    case redirectLoop
    case noResponse
    case badChunk
    case unaskedUpgrade
    case cookies
    case endlessInterim
    case cancelled

    /// Whether the request must fail (`true`), must succeed with the body `ok` (`false`), or may do either (`nil`).
    var mustFail: Bool? {
        switch self {
        case .unaskedResponse, .cookies: false
        // The result depends on the version of libcurl.
        case .foldedFirstLine: nil
        default: true
        }
    }

    /// Sends the response, and returns whether the connection stays open.
    func respond(_ connection: RawServer.Connection) -> Bool {
        let head = "HTTP/1.1 200 OK\r\n"
        let body = "Content-Length: 2\r\n\r\nok"
        switch self {
        case .shortBody: connection.write(head + "Content-Length: 9\r\n\r\nok")
        case .noStatusLine: connection.write("no status line\r\n\r\n")
        case .resetAfterHead:
            connection.resetOnClose()
            connection.write(head + "Content-Length: 9\r\n\r\n")
        case .largestLength: connection.write(head + "Content-Length: 9223372036854775807\r\n\r\nok")
        case .foldedFirstLine: return connection.write(head + " X: folded\r\n" + body)
        case .damagedGzip: return connection.write(head + "Content-Encoding: gzip\r\n" + body)
        case .unaskedResponse: return connection.write(head + body + head + "Content-Length: 6\r\n\r\npoison")
        case .manyFields: connection.write(head + String(repeating: "X: y\r\n", count: 1_200) + body)
        case .notANumber: return connection.write(head + "Content-Length: 2x\r\n\r\nok")
        case .redirectLoop:
            return connection.write("HTTP/1.1 302 Found\r\nLocation: /\(rawValue)\r\nContent-Length: 0\r\n\r\n")
        case .noResponse: break
        case .badChunk: connection.write(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\nok")
        case .unaskedUpgrade: connection.write("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nok")
        case .cookies:
            let fields = (0..<20).map { "Set-Cookie: name\($0)=value; Path=/\(rawValue)\r\n" }.joined()
            return connection.write(head + fields + body)
        case .endlessInterim:
            while connection.write(String(repeating: "HTTP/1.1 103 Early\r\nA: b\r\n\r\n", count: 500)) {}
        // The client does not wait for this part.
        case .cancelled: while connection.readMore() {}
        }
        return false
    }
}

/// One session, a healthy server and four hostile ones.
private final class HostileSoak: Sendable {
    struct Tally: Sendable {
        var finished = 0
        var failures: [Int: Int] = [:]
        var problems: [String] = []

        var summary: String { "\(failures.values.reduce(0, +)) failed as they must" }
    }

    private let session = Wire.session()
    private let healthy: LoopbackServer
    /// Several servers, since each of their connections occupies a port for a minute.
    private let hostile: [RawServer]
    private let state = Watched(Tally())

    init() throws {
        var configuration = LoopbackServer.Configuration()
        configuration.recordsRequests = false
        healthy = try LoopbackServer(configuration: configuration)
        hostile = try (0..<4).map { _ in
            try RawServer(isRecording: false) { connection in
                while true {
                    let target = connection.readHead().split(separator: " ").dropFirst().first ?? ""
                    guard let attack = Int(target.dropFirst()).flatMap(Attack.init) else { return }
                    guard attack.respond(connection) else { return }
                }
            }
        }
    }

    var tally: Tally { state.current }

    /// Sends requests, 32 at a time; every fifth goes to a hostile server.
    func run(_ count: Int) async throws {
        let next = Watched(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask { [self] in
                    while true {
                        let index = next.change { next in
                            defer { next += 1 }
                            return next
                        }
                        guard index < count else { return }
                        if index % 5 == 4 { await sendHostile(index / 5) } else { await sendHealthy(index) }
                    }
                }
            }
        }
    }

    private func sendHealthy(_ index: Int) async {
        let size = index * 37 % 3_000
        do {
            let (data, _) = try await session.data(from: healthy.url("/bytes/\(size)"))
            note(data == LoopbackServer.pattern(count: size) ? nil : "\(data.count) of \(size) bytes")
        } catch {
            note("A healthy request failed: \(error)")
        }
    }

    private func sendHostile(_ index: Int) async {
        let attack = Attack.allCases[index % Attack.allCases.count]
        let url = hostile[index / Attack.allCases.count % hostile.count].url("/\(attack.rawValue)")
        let session = session
        let request = Task { try await session.data(from: url).0 }
        if attack == .cancelled {
            try? await Task.sleep(for: .milliseconds(index % 20))
            request.cancel()
        }
        switch await request.result {
        case .success(let data):
            let isRight = attack.mustFail != true && data == Data("ok".utf8)
            note(isRight ? nil : "\(attack) succeeded with \(data.count) bytes")
        case .failure(let error):
            let isRight = attack.mustFail != false && error is URLError
            state.change { $0.failures[attack.rawValue, default: 0] += 1 }
            note(isRight ? nil : "\(attack) failed: \(error)")
        }
    }

    private func note(_ problem: String?) {
        state.change { tally in
            tally.finished += 1
            if let problem { tally.problems.append(problem) }
        }
    }
}
