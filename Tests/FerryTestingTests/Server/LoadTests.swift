import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized, .ownThreads)
struct LoadTests {
    @Test("Twenty thousand requests on four connections are all served") func manyRequests() async throws {
        let server = try LoopbackServer { .text($0.target) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    let client = try RawClient(server)
                    for index in 0..<5000 {
                        let target = "/\(worker)/\(index)"
                        #expect(try client.exchange("GET", target).text == target)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requestCount == 20000)
        #expect(server.requests.count == 20000)
        #expect(server.connectionCount == 4)
    }

    @Test("Five hundred concurrent connections are all served, twice") func manyConnections() async throws {
        let server = try LoopbackServer()
        let clients = try (0..<500).map { _ in try RawClient(server) }
        for _ in 0..<2 {
            for client in clients { try client.request("GET", "/delay/20") }
            for client in clients { #expect(try client.response().status == 200) }
        }
        #expect(server.connectionCount == 500)
        #expect(server.openConnectionCount == 500)
        for client in clients { client.close() }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("Many short connections are all closed") func manyShortConnections() async throws {
        let server = try LoopbackServer { _ in .text("ok").closing() }
        for _ in 0..<3000 { #expect(try RawClient(server).exchange("GET", "/").text == "ok") }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
        #expect(server.connectionCount == 3000)
    }

    @Test("Servers that start and stop leak no descriptors and no threads") func leaks() async {
        // A separate process, so that other tests' threads and descriptors do not count.
        await #expect(processExitsWith: .success) {
            let before = (descriptors: ProcessUsage.descriptors, threads: ProcessUsage.threads)
            for index in 0..<200 {
                let server = try LoopbackServer()
                let clients = try (0..<3).map { _ in try RawClient(server) }
                #expect(try clients[0].exchange("GET", "/echo").status == 200)
                try clients[1].request("GET", index % 2 == 0 ? "/stall?after=1" : "/delay/60000")
                if index % 3 == 0 { server.stop() }
            }
            // Dispatch and Swift Concurrency keep a few.
            try await eventually("the release of all descriptors and threads") {
                ProcessUsage.descriptors < before.descriptors + 20 && ProcessUsage.threads < before.threads + 20
            }
        }
    }
}
