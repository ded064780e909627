import FerryOperations
import SessionWorkloads

/// The workloads with `HTTPRequestOperation`, in the queue of an `HTTPRequestOperationManager`.
struct OperationWorkloads {
    let order: WorkOrder
    private let manager: HTTPRequestOperationManager

    init(_ order: WorkOrder) {
        self.order = order
        manager = HTTPRequestOperationManager(
            configuration: order.configuration,
            transport: .curl(options: order.options)
        )
        manager.responseSerializer = HTTPDataResponseSerializer()
        manager.operationQueue.maxConcurrentOperationCount = order.inFlight
    }

    func run() throws -> Sample {
        guard order.work == .requests else {
            throw BenchmarkError("--face operation does not support \(order.work.rawValue)")
        }
        let (order, manager) = (order, manager)
        return try Measuring.run(order) { completed in
            let operation = manager.operation(
                with: URLRequest(url: order.url),
                success: { operation, body in
                    completed(order.check((body as? Data)?.count ?? 0, operation.response, nil))
                },
                failure: { _, error in completed(error) }
            )
            manager.operationQueue.addOperation(operation)
        }
    }
}
