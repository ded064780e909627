import Ferry

// The snippets of the article about retries, interceptors and deadlines, compiled but not run.

struct TraceInterceptor: RequestInterceptor {
    func adapt(
        _ request: URLRequest,
        for attempt: RequestAttempt
    ) async throws -> URLRequest {
        var request = request
        request.setValue("\(attempt.number)", forHTTPHeaderField: "X-Attempt")
        return request
    }

    func retry(
        _ attempt: RequestAttempt,
        dueTo failure: AttemptOutcome
    ) async -> RetryDecision {
        failure.response?.statusCode == 423 && attempt.number < 3
            ? .retryAfter(1) : .proceed
    }
}

/// The last prices that were received.
actor PriceStore {
    var last: Data?
}

struct LastPrices: ConcludingInterceptor {
    let store: PriceStore

    func conclude(
        _ attempt: RequestAttempt,
        with outcome: AttemptOutcome
    ) async throws -> InterceptedResponse? {
        guard outcome.request.url?.path == "/prices",
            let prices = await store.last
        else { return nil }
        return InterceptedResponse(
            headers: ["Content-Type": "application/json"],
            body: prices
        )
    }
}

enum RetrySnippets {
    static func standard(manager: HTTPSessionManager) async throws {
        manager.retryPolicy = .standard
        manager.deadline = 30
        let user = try await manager.get("users/1", as: User.self)
        print(user.name)
    }

    static func policy(manager: HTTPSessionManager) {
        manager.retryPolicy = RetryPolicy {
            $0.maximumRetries = 5
            $0.backoff.cap = 10
            $0.statusCodes.insert(520)
            $0.additionalMethods = ["POST"]
        }
    }

    static func requests(manager: HTTPSessionManager, policy: RetryPolicy) async throws -> [User] {
        let user = try await manager.send(
            .get("users/1", as: User.self).retry(policy).deadline(5)
        )
        let created = try await manager.send(
            .post("users", as: User.self).parameters(["name": "Ada"]).retry(nil)
        )
        return [user, created]
    }

    static func interceptors(manager: HTTPSessionManager) async throws -> User {
        manager.interceptors = [TraceInterceptor()]
        let user = try await manager.send(
            .get("users/1", as: User.self).intercepted(by: TraceInterceptor())
        )
        return user
    }

    static func session(url: URL) {
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        options.interceptors = [TraceInterceptor()]
        options.deadline = 30
        let session = CurlSession(configuration: .default, options: options)
        let task = session.dataTask(with: url)
        task.retryPolicy = nil
        task.resume()
    }

    static func bandwidth(session: CurlSession, request: URLRequest) {
        let limit = BandwidthLimit(bytesPerSecond: 500_000)
        let task = session.downloadTask(with: request)
        task.downloadLimit = limit
        task.resume()
        limit.bytesPerSecond = nil
    }

    static func limits(api: URL) -> HTTPSessionManager {
        var options = CurlSession.Options()
        options.limits = RequestLimits(maximumInFlight: 8, rate: .init(20, per: 1))
        options.coalescesIdenticalRequests = true
        let manager = HTTPSessionManager(
            baseURL: api,
            transport: .curl(options: options)
        )
        return manager
    }
}
