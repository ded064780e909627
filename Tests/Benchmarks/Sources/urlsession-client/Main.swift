import SessionWorkloads

/// FoundationNetworking's `URLSession`.
@main
enum URLSessionClient {
    static func main() async {
        await Client.run { order in
            switch order.face {
            case "delegate":
                let delegate = WorkloadDelegate()
                let session = URLSession(configuration: order.configuration, delegate: delegate, delegateQueue: nil)
                return try DelegateWorkloads(order, session: session, delegate: delegate).run()
            case "handler":
                return try HandlerWorkloads(order, session: URLSession(configuration: order.configuration)).run()
            case "async":
                let session = URLSession(configuration: order.configuration)
                let functions = AsyncFunctions(
                    data: { try await session.data(from: $0) },
                    download: { try await session.download(from: $0) },
                    upload: { try await session.upload(for: $0, fromFile: $1) },
                    uploadData: { try await session.upload(for: $0, from: $1) }
                )
                return try await AsyncWorkloads(order, functions).run()
            default: throw BenchmarkError("URLSession does not support --face \(order.face)")
            }
        }
    }
}
