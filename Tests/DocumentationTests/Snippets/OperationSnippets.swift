import FerryOperations

// The snippets of the articles about operations and batches, compiled but not run.

enum OperationSnippets {
    static func first(base: URL) {
        let manager = HTTPRequestOperationManager(baseURL: base)
        manager.get("users/1") { _, object in
            print(object ?? "nothing")
        } failure: { _, error in
            print(error.message)
        }
    }

    static func make(url: URL) {
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.responseSerializer = .json
        operation.setCompletion { _, object in
            print(object ?? "nothing")
        } failure: { operation, error in
            print(error.message, operation.response?.statusCode ?? 0)
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        queue.addOperation(operation)
    }

    static func pause(operation: HTTPRequestOperation, file: URL) {
        operation.outputStream = FileOutputStream(url: file)
        operation.start()
        operation.pause()
        operation.resume()
    }

    static func archive(operation: HTTPRequestOperation, queue: OperationQueue, file: URL) throws {
        let saved = try operation.archivedData()
        let restored = try HTTPRequestOperation(archivedData: saved)
        restored.outputStream = FileOutputStream(url: file, append: true)
        queue.addOperation(restored)
    }

    static func describe(request: URLRequest) throws {
        let data = try JSONEncoder().encode(RequestDescriptor(request))
        let again = try JSONDecoder().decode(RequestDescriptor.self, from: data)
            .urlRequest
        print(again)
    }

    static func useManager() {
        let manager = HTTPRequestOperationManager(
            baseURL: URL(string: "https://api.example.com/v1/")
        )
        manager.operationQueue.maxConcurrentOperationCount = 2
        manager.get("users/1") { _, object in
            print(object ?? "nothing")
        } failure: { operation, error in
            print(operation == nil ? "not sent" : "failed", error.message)
        }
        manager.cancelOperations(method: .get, path: "users/1")
    }

    static func batch(manager: HTTPSessionManager, requests: [Request<User>]) async throws {
        for try await response in manager.batch(requests, maximumConcurrentRequests: 4) {
            print(
                response.index,
                response.value?.name ?? "none",
                response.error?.message ?? "no error"
            )
        }
    }

    static func allAtOnce(manager: HTTPSessionManager, requests: [Request<User>]) async throws {
        let responses = try await manager.responses(
            for: requests,
            maximumConcurrentRequests: 8
        ) { progress in
            print(progress.finishedCount, progress.failedCount, progress.totalCount)
        }
        print(responses.compactMap(\.value).count)
    }

    static func operations(urls: [URL]) {
        let operations = urls.map { HTTPRequestOperation(request: URLRequest(url: $0)) }
        let batch = RequestOperation.batch(of: operations) { finished, total in
            print("\(finished) of \(total)")
        } completion: { operations in
            print(operations.filter { $0.error != nil }.count, "failed")
        }
        let queue = OperationQueue()
        for operation in batch { queue.addOperation(operation) }
    }
}
