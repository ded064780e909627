/// What users read and set on a task, on any thread.
extension TaskCore {
    var publicState: URLSessionTask.State {
        state.withLock { state in
            switch state.lifecycle {
            case .active: state.suspendCount > 0 ? .suspended : .running
            case .canceling: .canceling
            case .completed: .completed
            }
        }
    }

    var originalRequest: URLRequest? { state.withLock { $0.originalRequest } }
    var currentRequest: URLRequest? {
        let (request, fields) = state.withLock { ($0.currentRequest, $0.additionalHeaders) }
        guard var request, !fields.isEmpty else { return request }
        for (name, value) in fields where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }
    var response: URLResponse? { state.withLock { $0.response }?.value }
    var error: (any Error)? { state.withLock { $0.error } }
    var countOfBytesReceived: Int64 { state.withLock { $0.bytesReceived }.int64 }
    var countOfBytesSent: Int64 { state.withLock { $0.bytesSent }.int64 }
    var countOfBytesExpectedToReceive: Int64 { state.withLock { $0.bytesExpectedToReceive }.transferSize }
    var countOfBytesExpectedToSend: Int64 { state.withLock { $0.bytesExpectedToSend }.transferSize }

    var clientExpectsToReceive: Int64 {
        get { state.withLock { $0.clientExpectsToReceive } }
        set { state.withLock { $0.clientExpectsToReceive = newValue } }
    }

    var clientExpectsToSend: Int64 {
        get { state.withLock { $0.clientExpectsToSend } }
        set { state.withLock { $0.clientExpectsToSend = newValue } }
    }

    /// The priority, which is read when the task starts.
    var priority: Float {
        get { state.withLock { $0.priority } }
        set { state.withLock { $0.priority = newValue } }
    }

    /// The task's own delegate, or else the session's.
    var delegate: (any URLSessionTaskDelegate)? {
        get {
            let (own, session) = state.withLock { ($0.ownDelegate, $0.session) }
            return (own ?? session?.casts)?.task
        }
        set {
            let casts = newValue.map { DelegateCasts($0) }
            let old = state.withLock { state -> DelegateCasts? in
                defer { state.ownDelegate = casts }
                if let casts, !casts.isEmpty { state.isUnheard = false }
                return state.ownDelegate
            }
            // A delegate's `deinit` is user code and must run outside the lock.
            withExtendedLifetime(old) {}
        }
    }

    func callOnDelegateQueue(_ handler: UncheckedHandler) {
        guard let queue = state.withLock({ $0.session?.dispatcher.queue }) else { return handler.call(nil) }
        queue.deliver { handler.call(nil) }
    }
}
