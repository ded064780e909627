import FerryTesting
import TestSupport
import Testing

@testable import FerryCurl
@testable import FerrySession

/// The descriptors that a child process inherits from a session.
@Suite(.slow, .serialized, .timeLimit(.minutes(5)), .ownThreads)
struct InheritanceTests {
    @Test("A child started by Process inherits no socket, and no program inherits a connection") func connections()
        async
    {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                // This process may have inherited sockets of the parent process's other tests.
                let earlier = Set(Descendant.sockets())
                let server = try LoopbackServer()
                let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                let port = try LoopbackSocket.bind(silent, backlog: 128)
                let sessions = (0..<20).map { _ in makeSession() }
                for session in sessions {
                    _ = try await session.data(from: server.url("/bytes/10"))
                    session.dataTask(with: server.url("/stall?after=5")).resume()
                    // This connection remains in its handshake.
                    let secure = try #require(URL(string: "https://127.0.0.1:\(port)/"))
                    session.dataTask(with: secure).resume()
                }
                try await server.waitForRequests(40, timeout: 40 * patience)
                // The server does not accept the connections that are in their handshakes.
                try await eventually("connections") { ProcessUsage.descriptors > 20 * 6 }
                let inherited = try Descendant.inheritedSockets().filter { !earlier.contains($0) }
                try Child.expect(inherited.isEmpty, "\(inherited)")
                let open = Descendant.connectionsLeftOpen(except: earlier)
                try Child.expect(open.isEmpty, "\(open)")
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("The error of a task for which no socket could be opened says so") func noDescriptor() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let server = try LoopbackServer()
                let session = makeSession()
                _ = try await session.data(from: server.url("/bytes/10?close=1"))
                let other = try LoopbackServer()
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
                limit.rlim_cur = 3
                setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
                do {
                    _ = try await session.data(from: other.url("/bytes/10"))
                    try Child.expect(false, "A socket was opened")
                } catch let error as URLError {
                    let cause = error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
                    try Child.expect(error.code == .cannotConnectToHost, "\(error)")
                    try Child.expect(cause?.message.contains("Too many open files") == true, "\(error)")
                }
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("Idle connections take at most a quarter of the descriptors, and end when none is left") func idle() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let server = try LoopbackServer()
                let session = makeSession()
                let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
                var limit = rlimit()
                getrlimit(resource, &limit)
                limit.rlim_cur = 100
                setrlimit(resource, &limit)
                let engine = try #require(session.engine)
                try Child.expect(engine.settings.keptConnections == 25, "\(engine.settings.keptConnections)")
                _ = try await session.data(from: server.url("/bytes/10"))
                let other = try LoopbackServer()
                let before = ProcessUsage.descriptors
                limit.rlim_cur = 3
                setrlimit(resource, &limit)
                let refused = try? await session.data(from: other.url("/bytes/10"))
                try Child.expect(refused == nil, "A socket was opened")
                limit.rlim_cur = 100
                setrlimit(resource, &limit)
                // The server closes the connection as soon as the session has ended it.
                try await eventually("the end of the connection") { ProcessUsage.descriptors < before }
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("If descriptors are scarce, tasks end with an error", arguments: 0..<10) func scarcity(_ spare: Int) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [spare] in
            await Child.run {
                let server = try LoopbackServer()
                // Lets Dispatch and the resolver open the descriptors they need.
                _ = try await makeSession().data(from: server.url("/bytes/10"))
                let folder = try TemporaryFolder()
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
                let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
                close(probe)
                limit.rlim_cur = rlim_t(Int(probe) + spare)
                setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
                var options = CurlSession.Options()
                options.temporaryDirectory = folder.url
                let sessions = (0..<3).map { _ in makeSession(options: options) { $0.timeoutIntervalForRequest = 5 } }
                for session in sessions {
                    do {
                        _ = try await session.data(from: server.url("/bytes/10"))
                        _ = try await session.download(from: server.url("/bytes/10"))
                    } catch let error as URLError {
                        print("ended with \(error.code.rawValue)")
                    }
                }
            }
        }
        Child.check(result?.standardOutputContent)
    }
}

/// The descriptors that programs started by this process inherit.
enum Descendant {
    private static let folder = "/proc/self/fd"

    /// Returns the sockets of this process, as the system names them.
    static func sockets() -> [String] {
        descriptors.compactMap(socket)
    }

    private static var descriptors: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { Int32($0) }
    }

    private static func socket(_ descriptor: Int32) -> String? {
        let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
        return name?.hasPrefix("socket:") == true ? name : nil
    }

    /// Returns the sockets of this process that a child started by Foundation's `Process` has too.
    static func inheritedSockets() throws -> [String] {
        // The list is made before the child, so that the socket with which `Process` watches it does not count.
        let own = sockets()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/ls")
        process.arguments = ["-l", folder]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, text.contains(" -> ") else {
            throw NeverHappened(description: "No list of descriptors: \(text)")
        }
        return own.filter { text.contains($0) }.sorted()
    }

    /// Returns the TCP sockets that stay open when this process starts a program in any way, with their ports.
    static func connectionsLeftOpen(except earlier: Set<String>) -> [String] {
        func option(_ name: Int32, of descriptor: Int32) -> Int32? {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        let open = descriptors.filter { descriptor in
            guard socket(descriptor).map({ !earlier.contains($0) }) ?? false,
                let domain = option(SO_DOMAIN, of: descriptor), [AF_INET, AF_INET6].contains(domain),
                // Foundation has a pair of UDP sockets of its own.
                option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
            else { return false }
            return fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0
        }
        return open.map { "\($0): \(port(getsockname, of: $0)) to \(port(getpeername, of: $0))" }
    }

    private static func port(
        _ name: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32,
        of descriptor: Int32
    ) -> String {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
        }
        return result == 0 ? "\(UInt16(bigEndian: address.sin_port))" : "none"
    }
}
