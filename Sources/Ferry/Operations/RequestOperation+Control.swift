import FerrySession

extension RequestOperation {
    /// Breaks the transfer off and keeps what has arrived.
    ///
    /// Posts ``Foundation/NSNotification/Name/networkingOperationDidFinish`` if it was running. One that has been
    /// cancelled or is at its end ignores it. A paused operation keeps its place in its queue.
    public func pause() {
        let (effect, transfer) = record.withLock { record in
            let effect = record.machine.take(.pause)
            guard effect == .interrupt else { return (effect, OperationTransfer?.none) }
            defer { record.transfer = nil }
            return (effect, record.transfer)
        }
        publishChanges()
        guard effect == .interrupt else { return }
        transfer?.cancel()
        manager.core.notifications.post(.networkingOperationDidFinish, object: self)
    }

    /// Goes on after a pause: with the rest of the same entity where the server can tell that, else from the beginning.
    ///
    /// The request is sent again, with `Range` and `If-Range` if what has arrived has a strong validator. An operation
    /// that was paused before it was started becomes ready, and its queue or ``start()`` starts it.
    public func resume() {
        let effect = record.withLock { $0.machine.take(.resume) }
        publishChanges()
        perform(effect)
    }

    /// Does what follows from a decision.
    func perform(_ effect: OperationMachine.Effect) {
        switch effect {
        case .nothing, .interrupt, .conclude: return
        case .begin:
            manager.core.notifications.post(.networkingOperationDidStart, object: self)
            // On the serial queue, so that nothing of an earlier transfer is still being written.
            manager.operationQueue.addOperation { self.beginTransfer() }
        case .concludeCancelled:
            let transfer = record.withLock { record in
                record.error = .operationCancelled(record.request)
                defer { record.transfer = nil }
                return record.transfer
            }
            transfer?.cancel()
            manager.operationQueue.addOperation { self.conclude() }
        case .deliver:
            deliver()
        }
    }

    /// Tells the queue and all other observers of the changes of state, in order and one after the other.
    ///
    /// The state has changed by then: it is decided under a lock, under which nobody can be told.
    func publishChanges() {
        let isMine = record.withLock { record in
            defer { record.isPublishing = true }
            return !record.isPublishing
        }
        guard isMine else { return }
        while true {
            let changes = record.withLock { record in
                let changes = record.machine.takeChanges()
                if changes.isEmpty { record.isPublishing = false }
                return changes
            }
            if changes.isEmpty { return }
            for change in changes {
                for key in [change.old.key, change.new.key] { willChangeValue(forKey: key) }
                for key in [change.old.key, change.new.key] { announce(key) }
            }
        }
    }

    private func announce(_ key: String) {
        guard key == State.ready.key else { return didChangeValue(forKey: key) }
        // The queue notes what it reads, and something else may become ready between the two.
        var isSame = false
        while !isSame {
            let wasReady = isReady
            didChangeValue(forKey: key)
            isSame = isReady == wasReady
        }
    }
}

extension NetworkError {
    /// The error of an operation that was cancelled.
    fileprivate static func operationCancelled(_ request: URLRequest) -> NetworkError {
        let url = request.url
        let target = url.map { " (\($0.presentableHost))" } ?? ""
        return NetworkError(.cancelled, message: "The operation was cancelled\(target)", failingURL: url)
    }
}
