import Ferry

/// Calls a handler for SIGINT and SIGTERM instead of dying from them.
///
/// A second signal, or work that has not ended a while after the first, ends the process at once.
final class SignalWatcher: Sendable {
    private let received = Locked<ExitStatus?>(nil)
    private let queue = DispatchQueue(label: "ferry.signals")
    private let source = Locked<Source?>(nil)

    /// `@unchecked Sendable`: it is only kept, and let go.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceRead
    }

    private static let statuses: [Int32: ExitStatus] = [SIGINT: .interrupted, SIGTERM: .terminated]

    /// Which signal has come.
    var interruption: ExitStatus? { received.withLock { $0 } }

    /// Begins to watch; the handlers are called once, on a queue of their own.
    ///
    /// The last one is called right before the process ends because its work has not ended in time.
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
        // A reader of standard output that does not read cannot be waited for.
        queue.asyncAfter(deadline: .now() + 2) {
            atDeadline()
            _exit(status.rawValue)
        }
    }
}
