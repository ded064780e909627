import FerrySession
import FerryTesting
import TestSupport
import Testing

/// What a child process inherits from a session.
@Suite(.serialized, .timeLimit(.minutes(5)), .ownThreads)
struct InheritanceTests {
    @Test("A child process inherits no descriptor of sessions with open connections") func connections() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let server = try LoopbackServer()
                let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                let port = try LoopbackSocket.bind(silent, backlog: 128)
                let before = try Descendant.descriptors()
                var sessions = (0..<20).map { _ in makeSession() }
                for session in sessions {
                    _ = try await session.data(from: server.url("/bytes/10"))
                    session.dataTask(with: server.url("/stall?after=5")).resume()
                    // It remains in its handshake.
                    let secure = try #require(URL(string: "https://127.0.0.1:\(port)/"))
                    session.dataTask(with: secure).resume()
                }
                try await server.waitForRequests(40)
                // The server does not accept the connections that are in their handshakes.
                try await eventually("connections") { ProcessUsage.descriptors > 20 * 6 }
                let after = try Descendant.descriptors()
                try Child.expect(after == before, "\(before), then \(after)")
                for session in sessions { session.invalidateAndCancel() }
                sessions = []
                // OpenSSL cleans up when the process ends, and crashes if a handshake is in progress.
                try await eventually("no thread") { ProcessUsage.ferryThreads == 0 }
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("A session made while other threads open and close descriptors leaves none to a child process")
    func races() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let before = try Descendant.descriptors()
                let isOver = Locked(false)
                for _ in 0..<2 {
                    Thread.detachNewThread {
                        while !isOver.withLock({ $0 }) {
                            var pair: [Int32] = [-1, -1]
                            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
                            let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
                            for descriptor in pair + [other] { close(descriptor) }
                        }
                    }
                }
                let sessions = (0..<200).map { _ in makeSession() }
                isOver.withLock { $0 = true }
                try await eventually("no descriptor of the threads") { try Descendant.descriptors() == before }
                for session in sessions { session.invalidateAndCancel() }
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("Socket pairs of the application are not changed") func others() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                var pairs: [[Int32]] = []
                for _ in 0..<10 {
                    var pair: [Int32] = [-1, -1]
                    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
                    pairs.append(pair)
                }
                // One unread byte, as in a pair that has just been woken.
                for pair in pairs.prefix(5) { _ = write(pair[1], "x", 1) }
                close(pairs[2][0])
                let sessions = (0..<20).map { _ in makeSession() }
                for pair in pairs.dropFirst(3) {
                    for descriptor in pair {
                        try Child.expect(fcntl(descriptor, F_GETFD) == 0, "\(descriptor) is closed on exec")
                    }
                }
                _ = sessions
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("If descriptors are scarce, tasks end with an error", arguments: 0..<10) func scarcity(_ spare: Int) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [spare] in
            await Child.run {
                let server = try LoopbackServer()
                // Gives Dispatch and the resolver the descriptors they need.
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

/// A child process that reports what it has inherited.
enum Descendant {
    /// Returns the targets of a child process's descriptors, without the three standard ones.
    static func descriptors() throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        // Only names of shell variables are safe in the script.
        let script = """
            for d in /proc/$$/fd/*; do n=${d##*/}; [ $n -gt 2 ] && echo $(readlink $d); done > '\(file.path)'; true
            """
        var arguments: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", script].map { (text: String) in strdup(text) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ)
        guard code == 0 else { throw NeverHappened(description: "No process: \(String(cString: strerror(code)))") }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let text = try String(contentsOf: file, encoding: .utf8)
        // The shell keeps a duplicate of its standard output.
        return text.split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("socket:") || $0.hasPrefix("anon_") }.sorted()
    }
}
