import Ferry

/// Calls a handler for SIGINT and SIGTERM, which would otherwise end the process.
///
/// A second signal ends the process immediately; otherwise it ends two seconds after the first one at the latest.
final class SignalWatcher: Sendable {
    private let received = Locked<ExitStatus?>(nil)
    private let queue = DispatchQueue(label: "ferry.signals")
    private let source = Locked<Source?>(nil)

    /// `@unchecked Sendable`: the source is only retained and released.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceRead
    }

    private static let statuses: [Int32: ExitStatus] = [SIGINT: .interrupted, SIGTERM: .terminated]

    /// The exit status for the last signal received, or `nil`.
    var interruption: ExitStatus? { received.withLock { $0 } }

    /// Starts watching; the handlers are called at most once, on a private queue.
    ///
    /// `atDeadline` is called right before the process is ended two seconds after the signal, if it still runs then.
    func start(
        _ handler: @escaping @Sendable () -> Void,
        atDeadline: @escaping @Sendable () -> Void = {}
    ) {
        guard let descriptor = SignalPipe.watch(Array(Self.statuses.keys)) else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [self] in
            for status in SignalPipe.signals(from: descriptor).compactMap({ Self.statuses[$0] }) {
                take(status, handler, atDeadline)
            }
        }
        source.activate()
        self.source.withLock { $0 = Source(source: source) }
    }

    private func take(
        _ status: ExitStatus,
        _ handler: () -> Void,
        _ atDeadline: @escaping @Sendable () -> Void
    ) {
        let isFirst = received.withLock { received -> Bool in
            defer { received = status }
            return received == nil
        }
        guard isFirst else { _exit(status.rawValue) }
        handler()
        // Work may be blocked for an unlimited time, for example by a reader of standard output that does not read.
        queue.asyncAfter(deadline: .now() + 2) {
            atDeadline()
            _exit(status.rawValue)
        }
    }
}
