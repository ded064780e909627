extension URLSessionTask {
    /// Notes in the record of a durable session that the downloaded file has another name in its folder.
    package func noteDurableFile(_ file: URL) {
        (self as? any CurlTask)?.core.noteDurably { $0.partial?.name = file.lastPathComponent }
    }

    /// Keeps the record of a durable session beyond the end of the task, until the closure that is returned is called;
    /// `nil` if there is no record.
    ///
    /// A delegate calls it when it is told of the end, and has more to do before the result is delivered.
    package func keepDurableRecord(_ error: (any Error)?) -> (@Sendable () -> Void)? {
        guard let core = (self as? any CurlTask)?.core else { return nil }
        let session = core.state.withLock { state -> CurlSessionCore? in
            guard let session = state.sessionCore, session.durable != nil else { return nil }
            state.keepsDurableRecord = true
            return session
        }
        guard let session else { return nil }
        // An invalidated session forgets it.
        let delegate = session.delegate
        return { session.endDurableTask(core.identifier, error, delegate) }
    }
}
