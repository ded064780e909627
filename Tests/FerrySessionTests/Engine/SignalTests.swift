import FerrySession
import TestSupport
import Testing

import struct Synchronization.Atomic

/// The number of signals that the child process has handled.
private let handled = Atomic(0)

/// Signals that the program handles on the engine's thread.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct SignalTests {
    @Test("Signals that end the engine's waits end no transfer, and keep its time limits") func interruptions() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                // glibc has the function, but Foundation does not export it.
                let symbol = try #require(dlsym(nil, "tgkill"))
                let kill = unsafeBitCast(symbol, to: (@convention(c) (pid_t, pid_t, Int32) -> Int32).self)
                try Child.expect(handled.load(ordering: .relaxed) == 0, "A signal came early")
                // Without SA_RESTART.
                var action = sigaction()
                action.__sigaction_handler.sa_handler = { _ in handled.add(1, ordering: .relaxed) }
                try Child.expect(sigaction(SIGUSR1, &action, nil) == 0, "No handler")
                Thread.detachNewThread {
                    while true {
                        for thread in ProcessUsage.ferryTasks { _ = kill(getpid(), pid_t(thread) ?? 0, SIGUSR1) }
                        usleep(1_000)
                    }
                }
                let parts = ["HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\n", "hello", "world"]
                let server = try RawServer { connection in
                    connection.readHead()
                    guard connection.index == 0 else { return connection.readAll() }
                    for part in parts {
                        let (count, end) = (handled.load(ordering: .relaxed) + 20, ContinuousClock.now + .seconds(10))
                        while handled.load(ordering: .relaxed) < count, ContinuousClock.now < end { usleep(1_000) }
                        connection.write(part)
                    }
                }
                let (session, received) = (makeSession(), Watched<Data?>(nil))
                // The engine's thread begins here; the threads of Swift Concurrency block the signal.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGUSR1)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                session.dataTask(with: server.url()) { data, _, _ in received.change { $0 = data } }.resume()
                let data = try await received.wait { $0 != nil }
                try Child.expect(data == Data("helloworld".utf8), "\(String(describing: data))")
                try Child.expect(handled.load(ordering: .relaxed) >= 60, "\(handled.load(ordering: .relaxed)) signals")
                var silent = URLRequest(url: server.url())
                silent.timeoutInterval = 1 * patience
                let error = await Wire.error { try await session.data(for: silent) }
                try Child.expect(error?.code == .timedOut, "\(String(describing: error))")
            }
        }
        Child.check(result?.standardOutputContent)
    }
}
