import Ferry
import Foundation

/// A separate network: a kernel namespace with a virtual cable whose ends are `near` and `far`.
final class NetworkNamespace: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let newNetwork: Int32 = 0x4000_0000

    /// The reason why no namespace can be created here; nil if one can.
    static let obstacle: String? = {
        guard getuid() == 0 else { return "only root can create a network namespace" }
        do {
            _ = try NetworkNamespace()
            return nil
        } catch {
            return "cannot create a network namespace (iproute2 and veth are needed): \(error)"
        }
    }()

    /// The descriptor that keeps the namespace alive.
    private let descriptor: Int32

    init() throws {
        descriptor = try Self.onThread {
            guard Self.call("unshare", Self.newNetwork) == 0 else { throw Failure(description: "unshare: \(errno)") }
            let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure(description: "no descriptor of the namespace: \(errno)") }
            return descriptor
        }
        try ip("link add near type veth peer name far")
        try ip("link set far up")
        try ip("link set near up")
    }

    deinit {
        close(descriptor)
    }

    /// Runs `ip` in the namespace.
    ///
    /// `Process` is not used, since it waits in a run loop, which does not wake up on such a thread.
    func ip(_ arguments: String) throws {
        let words = ["env", "ip"] + arguments.split(separator: " ").map(String.init)
        let status = try inside { () throws -> Int32 in
            var pointers = words.map { strdup($0) } + [nil]
            defer { for pointer in pointers { free(pointer) } }
            var child = pid_t()
            let code = posix_spawn(&child, "/usr/bin/env", nil, nil, &pointers, environ)
            guard code == 0 else { throw Failure(description: "posix_spawn: \(code)") }
            var status: Int32 = -1
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            return status
        }
        guard status == 0 else { throw Failure(description: "ip \(arguments): \(status)") }
    }

    /// Runs a closure on a thread in the namespace, and waits for it.
    func inside<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        try Self.onThread { [descriptor] in
            guard Self.call("setns", descriptor, Self.newNetwork) == 0 else {
                throw Failure(description: "setns: \(errno)")
            }
            return try body()
        }
    }

    /// Runs a closure on a new thread, since a namespace belongs to a thread and pools reuse theirs.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let result = Mutex<Swift.Result<Result, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let outcome = Swift.Result { try body() }
            result.withLock { $0 = outcome }
            done.signal()
        }
        thread.start()
        done.wait()
        guard let outcome = result.withLock({ $0 }) else { throw Failure(description: "the thread did nothing") }
        return try outcome.get()
    }

    /// Calls a function of the C library that Swift does not import.
    private static func call(_ name: String, _ first: Int32, _ second: Int32 = 0) -> Int32 {
        guard let symbol = dlsym(nil, name) else { return -1 }
        typealias Function = @convention(c) (Int32, Int32) -> Int32
        return unsafeBitCast(symbol, to: Function.self)(first, second)
    }
}

/// A source that watches from inside a namespace, since a socket belongs to the namespace in which it was opened.
final class NamespacedSource: ReachabilitySource {
    private let namespace: NetworkNamespace
    private let source: any ReachabilitySource

    init(_ namespace: NetworkNamespace, _ source: any ReachabilitySource) {
        self.namespace = namespace
        self.source = source
    }

    func start(_ report: @escaping @Sendable (ReachabilityStatus) -> Void) {
        let source = source
        do {
            try namespace.inside { source.start(report) }
        } catch {
            report(.unknown)
        }
    }

    func stop() {
        source.stop()
    }
}
