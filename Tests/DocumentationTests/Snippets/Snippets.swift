import Ferry

// The snippets of README and Docs, compiled but not run. A test compares them with the documents.

struct User: Codable, Sendable {
    var id: Int
    var name: String
}

extension Request<User> {
    static func user(_ id: Int) -> Request {
        .get("users/\(id)").timeout(5)
    }
}

struct TokenInterceptor: RequestInterceptor {
    let token: @Sendable () throws -> String

    func adapt(
        _ request: URLRequest,
        for attempt: RequestAttempt
    ) async throws -> URLRequest {
        var request = request
        request.setValue(
            "Bearer \(try token())",
            forHTTPHeaderField: "Authorization"
        )
        return request
    }
}

enum Snippets {
    static func readmeProgram() async {
        let url = CommandLine.arguments.dropFirst().first ?? "https://api.github.com/repos/swiftlang/swift"
        do {
            let value = try await HTTPSessionManager().get(url, as: JSONValue.self)
            print(value)
        } catch {
            print(error.message)
        }
    }

    static func readmeAsync(base: URL) async throws {
        let manager = HTTPSessionManager(baseURL: base)
        let user = try await manager.get("users/1", as: User.self)
        print(user.name)
    }

    static func readmeUpload(manager: HTTPSessionManager, photo: URL) {
        manager.upload("photos", parameters: ["album": "sea"]) { form in
            try form.append(fileURL: photo, name: "photo")
        } completionHandler: { response in
            print(response.statusCode ?? 0)
        }
    }

    static func readmeDownload(manager: HTTPSessionManager, folder: URL) async -> Data? {
        var resumeData: Data?
        do {
            let file = try await manager.download(
                .get("file.zip"),
                to: .directory(folder)
            ) { update in
                print(update.fractionCompleted ?? 0)
            }
            print(file.path)
        } catch {
            resumeData = error.resumeData
        }
        return resumeData
    }

    static func readmeSession(url: URL) async throws {
        let session = CurlSession(configuration: .default)
        let (bytes, _) = try await session.bytes(from: url)
        for try await chunk in bytes.chunks {
            print(chunk.count)
        }
    }

    static func startManager() {
        let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.com/v1/"))
        manager.requestSerializer = .json { $0.timeoutInterval = 10 }
    }

    static func startVerbs(manager: HTTPSessionManager) async throws {
        let user = try await manager.get("users/1", as: User.self)
        let ada = try await manager.post("users", parameters: ["name": "Ada"], as: User.self)
        try await manager.delete("users/\(ada.id)")
        print(user.name)
    }

    static func startHandler(manager: HTTPSessionManager) {
        let task = manager.send(.get("users/1", as: User.self)) { response in
            switch response.result {
            case .success(let user): print(user.name)
            case .failure(let error): print(error.message)
            }
        }
        task?.cancel()
    }

    static func startEndpointUse(manager: HTTPSessionManager) async throws {
        let user = try await manager.send(.user(1))
        print(user.name)
    }

    static func flowInterceptorUse(manager: HTTPSessionManager) {
        manager.interceptors = [TokenInterceptor { "secret" }]
        manager.eventMonitors = [RequestLogger()]
    }

    static func tasksMake(manager: SessionManager, url: URL) {
        let task = manager.dataTask(
            with: URLRequest(url: url),
            serializer: .json
        ) { response in
            print(response.value?["name"]?.string ?? "no name")
        }
        task.resume()
        task.suspend()
        task.resume()
    }

    static func tasksCancel(manager: SessionManager) {
        manager.cancelTasks { $0.originalRequest?.url?.path == "/slow" }
        manager.cancelAllTasks()
        manager.invalidate(cancellingTasks: true, resettingSession: true)
    }

    static func tasksHooks(manager: SessionManager) {
        manager.hooks.taskWillPerformRedirection = { _, _, _, request in
            request.url?.host == "example.com" ? request : nil
        }
        manager.hooks.taskDidReceiveChallenge = { _, _, challenge, _ in
            guard challenge.previousFailureCount == 0 else {
                return .performDefaultHandling
            }
            return .useCredential(
                URLCredential(user: "ada", password: "secret", persistence: .forSession)
            )
        }
    }

    static func tasksResume(session: CurlSession, url: URL) async throws {
        do {
            let (file, _) = try await session.download(from: url)
            print(file.path)
        } catch let error as URLError {
            guard let data = error.userInfo[URLSessionDownloadTaskResumeData] as? Data
            else { throw error }
            let (file, _) = try await session.download(resumeFrom: data)
            print(file.path)
        }
    }

    static func serRequest(manager: HTTPSessionManager) {
        manager.requestSerializer = .form
        manager.requestSerializer = .json
        manager.requestSerializer = .propertyList
    }

    static func serParameters(manager: HTTPSessionManager) async throws {
        let found = try await manager.get(
            "search",
            parameters: ["q": "sea & sky", "tags": ["a", "b"], "page": 2],
            as: [User].self
        )
        print(found.count)
    }

    static func serResponse(manager: HTTPSessionManager) async throws {
        let json = try await manager.send(.get("users/1", serializer: .json))
        let text = try await manager.send(.get("terms", serializer: .string))
        let data = try await manager.send(.get("logo.png", serializer: .data))
        let page = try await manager.send(
            .get("old", serializer: .json.accepting("text/html"))
        )
        print(json["name"]?.string ?? "no name", text, data.count, page)
    }

    static func multiForm(manager: HTTPSessionManager, video: URL) {
        let progress: ProgressHandler = { update in
            print(update.completedByteCount, update.totalByteCount ?? -1)
        }
        manager.upload(
            "videos",
            parameters: ["title": "Harbour"],
            progress: progress
        ) { form in
            try form.append(fileURL: video, name: "video")
            try form.append(
                Data("{}".utf8),
                name: "settings",
                fileName: "settings.json"
            )
            form.append("public", name: "visibility")
        } completionHandler: { response in
            print(response.statusCode ?? 0)
        }
    }

    static func progressClosure(manager: SessionManager, request: URLRequest, file: URL) {
        manager.progressQueue = .main
        let task = manager.uploadTask(
            with: request,
            fromFile: file,
            serializer: .data
        ) { update in
            print(update.fractionCompleted ?? 0)
        } completionHandler: { response in
            print(response.statusCode ?? 0)
        }
        task.resume()
    }

    static func verbProgress(manager: HTTPSessionManager) {
        manager.get("export.csv") { update in
            print(update.completedByteCount)
        } completionHandler: { response in
            print(response.statusCode ?? 0)
        }
    }

    static func progressSequence(manager: SessionManager, task: URLSessionTask) async {
        for await update in manager.downloadProgressUpdates(for: task) {
            print(update.completedByteCount)
        }
    }

    static func errors(manager: HTTPSessionManager) async {
        let response = await manager.response(for: .get("users/1", as: User.self))
        if let error = response.error {
            print(error.code, error.statusCode ?? 0, error.isTimeout, error.isCancelled)
            print(error.response?.allHeaderFields.count ?? 0, error.data?.count ?? 0)
        }
    }

    static func migrate(manager: HTTPSessionManager) {
        manager.get("resources", parameters: ["key": "value"]) { response in
            if let error = response.error {
                print("failure", error)
            } else {
                print("success", response.value ?? "nothing")
            }
        }
    }

    static func tls(authority: URL, identity: URL, currentKey: PublicKeyPin, nextKey: PublicKeyPin) {
        var options = CurlSession.Options()
        options.tls.certificateAuthorities = .systemAnd([.pemFile(authority)])
        options.tls.clientCertificate = .pkcs12File(identity, passphrase: "secret")
        options.tls.minimumVersion = .tls12
        options.tls.publicKeyPins = ["api.example.com": [currentKey, nextKey]]
        let manager = HTTPSessionManager(
            baseURL: URL(string: "https://api.example.com/"),
            transport: .curl(options: options)
        )
        _ = manager
    }
    static func pins(nextCertificate: URL) throws -> [PublicKeyPin] {
        let currentKey: PublicKeyPin =
            "sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8="
        let nextKey = try PublicKeyPin(certificate: Data(contentsOf: nextCertificate))
        return [currentKey, nextKey]
    }

    static func evaluator(options: inout CurlSession.Options, revokedKeys: Set<PublicKeyPin>) {
        options.tls.trustEvaluator = { trust in
            guard let certificate = trust.certificates.first,
                let key = try? PublicKeyPin(certificate: certificate),
                !revokedKeys.contains(key)
            else { return .refuse(reason: "its key is revoked") }
            return .accept
        }
    }

    static func empty(manager: HTTPSessionManager) async throws {
        _ = try await manager.put(
            "users/1/avatar",
            parameters: ["color": "blue"],
            as: Empty.self
        )
    }
}
