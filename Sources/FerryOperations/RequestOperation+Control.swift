extension RequestOperation {
    /// Cancels the transfer and keeps the part of the response that has arrived.
    ///
    /// If the operation was running, posts ``Foundation/NSNotification/Name/networkingOperationDidFinish``. Has no
    /// effect on an operation that is cancelled or ending. A paused operation keeps its place in its queue.
    public func pause() {
        let (effect, transfer) = record.withLock { record in
            let effect = record.machine.pause()
            if effect == .interrupt { record.hasPostedPause = true }
            return (effect, effect == .interrupt ? record.takeTransfer() : nil)
        }
        publishChanges()
        guard effect == .interrupt else { return }
        transfer?.cancel()
        post(.networkingOperationDidFinish)
    }

    /// Continues after a pause.
    ///
    /// The request is sent again, with `Range` and `If-Range` if the response that has arrived has a strong validator.
    /// If the server then sends the rest of the same entity, it is appended; otherwise the body starts from the
    /// beginning. An operation that was paused before it was started becomes ready, and its queue or ``start()`` starts
    /// it.
    public func resume() {
        let effect = record.withLock { $0.machine.resume() }
        publishChanges()
        perform(effect)
    }

    func perform(_ effect: OperationMachine.Effect) {
        switch effect {
        case .nothing, .interrupt, .conclude: return
        case .begin:
            record.withLock { $0.hasPostedPause = false }
            post(.networkingOperationDidStart)
            // On the serial queue, so that no data of an earlier transfer is still being written.
            manager.operationQueue.deliver { self.beginTransfer() }
        case .concludeCancelled:
            let transfer = record.withLock { record in
                record.error = .operationCancelled(record.request)
                return record.takeTransfer()
            }
            transfer?.cancel()
            manager.operationQueue.deliver { self.conclude() }
        case .deliver:
            deliver()
        }
    }

    /// Publishes the changes of state to the queue and all other observers, serially and in order.
    ///
    /// The state has already changed, under a lock; observers must not be called under a lock.
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
        // The queue records what it reads, and the readiness may change between the two reads.
        var isSame = false
        while !isSame {
            let wasReady = isReady
            didChangeValue(forKey: key)
            isSame = isReady == wasReady
        }
    }
}

extension NetworkError {
    fileprivate static func operationCancelled(_ request: URLRequest) -> NetworkError {
        let url = request.url
        let target = url.map { " (\($0.presentableHost))" } ?? ""
        return NetworkError(.cancelled, message: "The operation was cancelled\(target)", failingURL: url)
    }
}
