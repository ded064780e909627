/// The workloads with completion handlers.
public struct HandlerWorkloads: Sendable {
    private let order: WorkOrder
    private let session: URLSession

    /// Creates the workloads for a session.
    public init(_ order: WorkOrder, session: URLSession) {
        self.order = order
        self.session = session
    }

    /// Does the work.
    public func run() throws -> Sample {
        switch order.work {
        case .requests, .endurance: try Measuring.run(order, start: fetch)
        case .download: try Measuring.run(order, start: download(to: order.requiredFile()))
        case .upload: try Measuring.run(order, start: upload(order.requiredFile()))
        case .uploadData: try Measuring.run(order, start: upload(order.body))
        case .suspended: Measuring.keep(order) { session.dataTask(with: order.url) { _, _, _ in } }
        default:
            throw BenchmarkError("Completion handlers do not support \(order.work.rawValue)")
        }
    }

    private func fetch(_ completed: @escaping @Sendable ((any Error)?) -> Void) {
        session.dataTask(with: order.url) { data, response, error in
            completed(order.check(data?.count ?? 0, response, error))
        }.resume()
    }

    private func download(to file: URL) -> Pump.Start {
        { [self] completed in
            session.downloadTask(with: order.url) { url, response, error in
                do {
                    let count = try url.map { try Files.move($0, to: file) } ?? 0
                    completed(order.check(count, response, error))
                } catch {
                    completed(error)
                }
            }.resume()
        }
    }

    private func upload(_ file: URL) -> Pump.Start {
        let request = order.uploadRequest
        return { [self] completed in
            session.uploadTask(with: request, fromFile: file) { completed(order.checkUpload($0, $1, $2)) }.resume()
        }
    }

    private func upload(_ data: Data) -> Pump.Start {
        let request = order.uploadRequest
        return { [self] completed in
            session.uploadTask(with: request, from: data) { completed(order.checkUpload($0, $1, $2)) }.resume()
        }
    }
}
