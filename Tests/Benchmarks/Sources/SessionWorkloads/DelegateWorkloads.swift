/// The workloads with a session's delegate.
public struct DelegateWorkloads: Sendable {
    private let order: WorkOrder
    private let session: URLSession
    private let delegate: WorkloadDelegate

    /// Creates the workloads for a session that was created with the delegate.
    public init(_ order: WorkOrder, session: URLSession, delegate: WorkloadDelegate) {
        self.order = order
        self.session = session
        self.delegate = delegate
    }

    /// Does the work.
    public func run() throws -> Sample {
        switch order.work {
        case .requests, .endurance: try Measuring.run(order, start: fetch(.collected))
        case .discard: try Measuring.run(order, start: fetch(.counted))
        case .download: try Measuring.run(order, start: download(to: order.requiredFile()))
        case .upload: try Measuring.run(order, start: upload(order.requiredFile()))
        case .uploadData: try Measuring.run(order, start: upload(order.body))
        case .suspended: Measuring.keep(order) { session.dataTask(with: order.url) }
        default: throw BenchmarkError("A session does not support \(order.work.rawValue)")
        }
    }

    private func fetch(_ body: TaskRecord.Body) -> Pump.Start {
        { [self] completed in
            start(dataTask(), body) { body, task, error in
                completed(order.check(body.count, task.response, error))
            }
        }
    }

    /// Creates a task; for the client with fields, its request has the fields that the interceptors would add.
    private func dataTask() -> URLSessionDataTask {
        guard order.face.hasSuffix("-fields") else { return session.dataTask(with: order.url) }
        var request = URLRequest(url: order.url)
        request.setValue("1", forHTTPHeaderField: "X-Attempt")
        request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
        return session.dataTask(with: request)
    }

    private func download(to file: URL) -> Pump.Start {
        { [self] completed in
            start(session.downloadTask(with: order.url), .moved(to: file)) { body, task, error in
                completed(order.check(body.count, task.response, error))
            }
        }
    }

    private func upload(_ file: URL) -> Pump.Start {
        upload { session.uploadTask(with: $0, fromFile: file) }
    }

    private func upload(_ data: Data) -> Pump.Start {
        upload { session.uploadTask(with: $0, from: data) }
    }

    private func upload(_ makeTask: @escaping @Sendable (URLRequest) -> URLSessionTask) -> Pump.Start {
        let request = order.uploadRequest
        return { [self] completed in
            start(makeTask(request), .collected) { body, task, error in
                completed(order.checkUpload(body.data, task.response, error))
            }
        }
    }

    private func start(_ task: URLSessionTask, _ body: TaskRecord.Body, _ completed: @escaping TaskRecord.Completion) {
        delegate.register(TaskRecord(body, completed: completed), for: task)
        task.resume()
    }
}
