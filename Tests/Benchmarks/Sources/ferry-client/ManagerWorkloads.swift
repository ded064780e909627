import Ferry
import SessionWorkloads

/// The workloads with `SessionManager`, and the forms with `HTTPSessionManager`.
struct ManagerWorkloads {
    let order: WorkOrder
    private let manager: HTTPSessionManager

    init(_ order: WorkOrder) {
        self.order = order
        manager = HTTPSessionManager(configuration: order.configuration, transport: .curl(options: order.options))
    }

    func run() async throws -> Sample {
        switch order.work {
        case .requests, .endurance: try Measuring.run(order, start: fetch)
        case .discard: try await Measuring.run(order, request: discard)
        case .download: try Measuring.run(order, start: download(to: order.requiredFile()))
        case .upload: try Measuring.run(order, start: upload(order.requiredFile()))
        case .uploadData: try Measuring.run(order, start: upload(order.body))
        case .multipart: try Measuring.run(order, start: multipart(order.requiredFile()))
        case .suspended: Measuring.keep(order) { makeTask { _ in } }
        default: throw BenchmarkError("Managers do not support \(order.work.rawValue) with this --face")
        }
    }

    private func makeTask(_ completed: @escaping @Sendable (TaskResponse<Data>) -> Void) -> URLSessionDataTask {
        manager.dataTask(
            with: URLRequest(url: order.url),
            serializer: HTTPDataResponseSerializer(),
            completionHandler: completed
        )
    }

    private var fetch: Pump.Start {
        { [self] completed in
            makeTask { completed(order.check($0.value?.count ?? 0, status: $0.statusCode, $0.error)) }.resume()
        }
    }

    private var discard: @Sendable () async throws -> Void {
        { [self] in
            var count = 0
            for try await chunk in manager.stream(URLRequest(url: order.url)) { count += chunk.count }
            guard count == order.bytes else { throw BenchmarkError("The body has \(count) bytes") }
        }
    }

    private func download(to file: URL) -> Pump.Start {
        { [self] completed in
            manager.downloadTask(
                with: URLRequest(url: order.url),
                destination: .file(file, options: .overwrite)
            ) { response in
                let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
                completed(order.check(size ?? 0, response.response, response.error))
            }.resume()
        }
    }

    private func upload(_ file: URL) -> Pump.Start {
        { [self] completed in
            manager.uploadTask(
                with: order.uploadRequest,
                fromFile: file,
                serializer: HTTPDataResponseSerializer()
            ) { completed(order.checkUpload($0.value, $0.response, $0.error)) }.resume()
        }
    }

    private func upload(_ data: Data) -> Pump.Start {
        { [self] completed in
            manager.uploadTask(
                with: order.uploadRequest,
                from: data,
                serializer: HTTPDataResponseSerializer()
            ) { completed(order.checkUpload($0.value, $0.response, $0.error)) }.resume()
        }
    }

    /// Sends one file as the only part; slightly more bytes than the file's arrive.
    private func multipart(_ file: URL) -> Pump.Start {
        { [self] completed in
            let form: @Sendable (inout MultipartFormData) throws -> Void = {
                try $0.append(fileURL: file, name: "file")
            }
            let request = Request.post(order.url.absoluteString, serializer: .data).multipart(form)
            manager.send(request) { response in
                let arrived = response.value.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
                let isWhole = arrived > order.bytes && arrived < order.bytes + 1000
                let error = isWhole ? nil : BenchmarkError("The server received \(arrived) bytes")
                completed(response.error ?? error)
            }
        }
    }
}
