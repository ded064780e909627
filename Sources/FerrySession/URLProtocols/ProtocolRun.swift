/// One instance of a protocol class, started and stopped at most once, in that order.
///
/// `@unchecked Sendable`: the instance is called only on its load's serial queue, where it may block; elsewhere only
/// its identity is compared.
final class ProtocolRun: @unchecked Sendable {
    private let loader: URLProtocol
    private let queue: DispatchQueue
    private let isStopped = Mutex(false)
    private var isStarted = false

    let identifier: ObjectIdentifier

    init(_ loader: URLProtocol, on queue: DispatchQueue) {
        self.loader = loader
        self.queue = queue
        identifier = ObjectIdentifier(loader)
    }

    func start() {
        queue.async { [self] in
            if isStopped.withLock({ $0 }) { return }
            isStarted = true
            loader.startLoading()
        }
    }

    /// Stops a started instance, once `startLoading` has returned.
    func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        queue.async { [self] in
            if isStarted { loader.stopLoading() }
        }
    }
}
