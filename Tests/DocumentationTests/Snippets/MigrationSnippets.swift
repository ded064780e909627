import Ferry

// The snippets of the articles on migration and progress, compiled but not run.

struct Search: Encodable {
    var q: String
    var page = 1
}

enum MigrationSnippets {
    static func lines(manager: HTTPSessionManager, q: String, page: Int) -> URLSessionDataTask? {
        manager.requestSerializer.headers["X-Client"] = "notes"
        manager.requestSerializer.timeoutInterval = 10
        manager.responseSerializer.acceptableContentTypes = [
            "application/json", "text/html",
        ]
        manager.responseSerializer.acceptableStatusCodes?.insert(404)
        let task = manager.get(
            "search",
            parameters: ["q": q, "page": page]
        ) { response in
            if response.error == .cancelled { return }
            if let found = response.foundationValue as? [String: Any] {
                print(found["count"] as? Int ?? 0)
            }
        }
        return task
    }

    static func encodable(manager: HTTPSessionManager, user: User) {
        manager.get("search", parameters: .encoding(Search(q: "sea"))) {
            print($0.statusCode ?? 0)
        }
        manager.post("users", parameters: .encoding(user)) { print($0.statusCode ?? 0) }
    }

    static func parent(manager: HTTPSessionManager, request: URLRequest, folder: URL) {
        let overall = Progress(totalUnitCount: 10)
        overall.becomeCurrent(withPendingUnitCount: 4)
        let first = manager.downloadTask(
            with: request,
            destination: .directory(folder)
        ) { response in
            print(response.fileURL?.path ?? "nothing")
        }
        overall.resignCurrent()
        first.resume()
    }

    @MainActor
    final class Screen {
        private(set) var name = ""

        func load(manager: HTTPSessionManager) {
            manager.completionQueue = .main
            manager.send(.get("users/1", serializer: .json)) { response in
                MainActor.assumeIsolated {
                    self.name = response.value?.name?.string ?? ""
                }
            }
        }
    }
}
