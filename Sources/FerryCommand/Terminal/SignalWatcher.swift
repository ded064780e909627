import Ferry

/// Calls a handler for SIGINT and SIGTERM, which would otherwise end the process; ignored signals stay ignored.
///
/// A second signal ends the process immediately; without one, the process ends at most two seconds after the first.
final class SignalWatcher: Sendable {
    private struct State {
        /// The status for the last signal received.
        var received: ExitStatus?
        var source: Source?
        var atSignal: @Sendable () -> Void = {}
        var atDeadline: @Sendable () -> Void = {}
    }

    /// `@unchecked Sendable`: the source is only retained and released.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceRead
    }

    private let queue = DispatchQueue(label: "ferry.signals")
    private let state = Mutex(State())

    private static let statuses = Dictionary(
        uniqueKeysWithValues: ExitStatus.allCases.compactMap { status in status.signal.map { ($0, status) } }
    )

    /// The exit status for the last signal received, or `nil`.
    var interruption: ExitStatus? { state.withLock { $0.received } }

    /// Starts watching, or replaces the handlers; they are called at most once, on a private queue.
    ///
    /// `atDeadline` is called right before the process is ended two seconds after the signal, if it still runs then.
    func start(_ handler: @escaping @Sendable () -> Void, atDeadline: @escaping @Sendable () -> Void = {}) {
        let isFirst = state.withLock { state in
            (state.atSignal, state.atDeadline) = (handler, atDeadline)
            return state.source == nil
        }
        guard isFirst, let descriptor = SignalPipe.watch(Array(Self.statuses.keys)) else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [self] in
            for status in SignalPipe.signals(from: descriptor).compactMap({ Self.statuses[$0] }) {
                take(status)
            }
        }
        source.activate()
        state.withLock { $0.source = Source(source: source) }
    }

    private func take(_ status: ExitStatus) {
        let atSignal = state.withLock { state in
            defer { state.received = status }
            return state.received == nil ? state.atSignal : nil
        }
        guard let atSignal else { status.endProcess() }
        atSignal()
        // Work may be blocked for an unlimited time, for example if standard output is not read.
        queue.asyncAfter(deadline: .now() + 2) { [self] in
            state.withLock { $0.atDeadline }()
            status.endProcess()
        }
    }
}

/// A pipe that carries the numbers of signals out of their handler.
///
/// A Dispatch source for signals loses signals that arrive while it is being registered, because they are ignored then.
enum SignalPipe {
    /// The ends of the pipe, or `nil` if it cannot be created because the process has no descriptors left.
    private static let ends: (reading: Int32, writing: Int32)? = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// Installs handlers that write signals into the pipe, and returns the end to read from; without a pipe, returns
    /// `nil` and leaves the actions of the signals unchanged.
    static func watch(_ numbers: [Int32]) -> Int32? {
        guard let ends else { return nil }
        for number in numbers where !isIgnored(number) {
            // A handler may call only async-signal-safe functions, such as `write`.
            signal(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(SignalPipe.ends?.writing ?? -1, &byte, 1)
                errno = saved
            }
        }
        return ends.reading
    }

    /// Whether the process was started with the signal ignored, as `nohup` and `&` in a script do.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Returns the signals that have arrived since the last call, at most 64.
    static func signals(from descriptor: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map(Int32.init)
    }
}

extension ExitStatus {
    var signal: Int32? {
        switch self {
        case .interrupted: SIGINT
        case .terminated: SIGTERM
        default: nil
        }
    }

    /// Ends the process without further work: by the signal that the status stands for, or with the status.
    ///
    /// After an interrupt, a shell continues its script if the command ends with a status.
    func endProcess() -> Never {
        if let signal {
            Glibc.signal(signal, SIG_DFL)
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, signal)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            raise(signal)
        }
        _exit(rawValue)
    }
}
