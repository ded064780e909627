import Ferry
import SessionWorkloads

/// The workloads with `HTTPSessionManager`, JSON and `async`.
struct JSONWorkloads {
    let order: WorkOrder

    init(_ order: WorkOrder) {
        self.order = order
    }

    func run() async throws -> Sample {
        switch order.work {
        case .requests, .json: try await fetch()
        case .decode: try decode()
        default: throw BenchmarkError("--face json does not support \(order.work.rawValue)")
        }
    }

    private func fetch() async throws -> Sample {
        let manager = HTTPSessionManager(configuration: order.configuration, transport: .curl(options: order.options))
        let path = order.url.absoluteString
        return try await Measuring.run(order) {
            let records = try await manager.get(path, as: [Record].self)
            guard records.last?.id == records.count - 1 else { throw BenchmarkError("Records are missing") }
        }
    }

    /// Measures decoding alone, of the file that the server sends, with a new decoder each time as in the full stack.
    private func decode() throws -> Sample {
        let data = try Data(contentsOf: order.requiredFile())
        for _ in 0..<order.warmUp { _ = try JSONDecoder().decode([Record].self, from: data) }
        let stopwatch = Stopwatch()
        for _ in 0..<order.count {
            let records = try JSONDecoder().decode([Record].self, from: data)
            guard records.last?.id == records.count - 1 else { throw BenchmarkError("Records are missing") }
        }
        return stopwatch.sample(count: order.count)
    }
}
