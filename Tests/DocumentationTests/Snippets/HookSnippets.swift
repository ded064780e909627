import Ferry

// The snippets of the articles about hooks and metrics, compiled but not run.

struct SlowRequests: EventMonitor {
    func task(
        _ task: URLSessionTask,
        didFinishWith completion: TaskCompletion
    ) {
        guard let metrics = completion.response.metrics, metrics.duration > 1 else {
            return
        }
        print(task.originalRequest?.url?.absoluteString ?? "", metrics.duration)
    }
}

final class Stopwatch: NSObject, CurlSessionDelegate {
    func urlSession(
        _ session: CurlSession,
        task: URLSessionTask,
        didFinishCollecting metrics: TaskMetrics
    ) {
        print(metrics.redirectCount, metrics.duration)
    }
}

enum HookSnippets {
    static func hooks(
        manager: SessionManager,
        askUser: @escaping @Sendable (String?, @escaping @Sendable (URLCredential?) -> Void) -> Void
    ) {
        manager.hooks.dataTaskDidReceiveResponse = { _, _, response in
            response.expectedContentLength > 10_000_000 ? .cancel : .allow
        }
        manager.hooks.taskDidReceiveChallenge = { _, _, challenge, answer in
            askUser(challenge.protectionSpace.realm) { credential in
                answer(credential.map { .useCredential($0) } ?? .performDefaultHandling)
            }
            return .deferred
        }
    }

    static func monitors(manager: SessionManager) {
        manager.eventMonitors = [
            SlowRequests(),
            RequestLogger(redaction: Redaction(headerNames: ["X-Api-Key"])),
        ]
    }

    static func notifications() -> any NSObjectProtocol {
        let token = NotificationCenter.default.addObserver(
            forName: .networkingTaskDidComplete,
            object: nil,
            queue: nil
        ) { notification in
            guard let completion = TaskCompletion(notification) else { return }
            print(
                completion.response.statusCode ?? 0,
                completion.response.error?.message ?? "no error"
            )
        }
        return token
    }

    static func metrics(manager: HTTPSessionManager) async {
        let response = await manager.response(for: .get("users/1", as: User.self))
        for transaction in response.metrics?.transactions ?? [] {
            print(
                transaction.url?.path ?? "",
                transaction.statusCode ?? 0,
                transaction.networkProtocolName ?? ""
            )
            print(
                transaction.isReusedConnection,
                transaction.connect,
                transaction.responseStart,
                transaction.duration
            )
        }
    }
}
