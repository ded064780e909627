/// A session's `async` functions.
///
/// They are extension methods of `URLSession`, so the type of the variable determines which ones are called: each
/// client passes its own.
public struct AsyncFunctions: Sendable {
    /// Fetches a body into memory.
    public var data: @Sendable (URL) async throws -> (Data, URLResponse)

    /// Fetches a body into a file.
    public var download: @Sendable (URL) async throws -> (URL, URLResponse)

    /// Sends a file.
    public var upload: @Sendable (URLRequest, URL) async throws -> (Data, URLResponse)

    /// Sends bytes in memory.
    public var uploadData: @Sendable (URLRequest, Data) async throws -> (Data, URLResponse)

    /// Reads a body in chunks and counts its bytes; nil for a session without such a function.
    public var count: (@Sendable (URL) async throws -> (Int, URLResponse))?

    /// Creates the set of functions.
    public init(
        data: @escaping @Sendable (URL) async throws -> (Data, URLResponse),
        download: @escaping @Sendable (URL) async throws -> (URL, URLResponse),
        upload: @escaping @Sendable (URLRequest, URL) async throws -> (Data, URLResponse),
        uploadData: @escaping @Sendable (URLRequest, Data) async throws -> (Data, URLResponse),
        count: (@Sendable (URL) async throws -> (Int, URLResponse))? = nil
    ) {
        self.data = data
        self.download = download
        self.upload = upload
        self.uploadData = uploadData
        self.count = count
    }
}

/// The workloads with `async` functions.
public struct AsyncWorkloads: Sendable {
    private let order: WorkOrder
    private let functions: AsyncFunctions

    /// Creates the workloads for a set of functions.
    public init(_ order: WorkOrder, _ functions: AsyncFunctions) {
        self.order = order
        self.functions = functions
    }

    /// Does the work.
    public func run() async throws -> Sample {
        let order = order
        let functions = functions
        switch order.work {
        case .requests:
            return try await Measuring.run(order) {
                let (data, response) = try await functions.data(order.url)
                if let error = order.check(data.count, response, nil) { throw error }
            }
        case .discard:
            guard let count = functions.count else { throw BenchmarkError("This session cannot read in chunks") }
            return try await Measuring.run(order) {
                let (bytes, response) = try await count(order.url)
                if let error = order.check(bytes, response, nil) { throw error }
            }
        case .download:
            let file = try order.requiredFile()
            return try await Measuring.run(order) {
                let (url, response) = try await functions.download(order.url)
                if let error = order.check(try Files.move(url, to: file), response, nil) { throw error }
            }
        case .upload:
            let file = try order.requiredFile()
            return try await Measuring.run(order) {
                let (data, response) = try await functions.upload(order.uploadRequest, file)
                if let error = order.checkUpload(data, response, nil) { throw error }
            }
        case .uploadData:
            let body = order.body
            return try await Measuring.run(order) {
                let (data, response) = try await functions.uploadData(order.uploadRequest, body)
                if let error = order.checkUpload(data, response, nil) { throw error }
            }
        default:
            throw BenchmarkError("The async functions do not support \(order.work.rawValue)")
        }
    }
}
