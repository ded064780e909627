import Ferry
import FerryAPI

// The recipes of the cookbook that CookbookTests runs; CookbookRouteSnippets.swift has the others.

enum Cookbook {
    static func logIn(api: URL, password: String) async throws -> User {
        let manager = HTTPSessionManager(baseURL: api, configuration: .ephemeral)
        try await manager.post("login", parameters: ["name": "ada", "password": password])
        let user = try await manager.get("account", as: User.self)
        return user
    }

    static func refresh(
        manager: HTTPSessionManager,
        accounts: HTTPSessionManager,
        savedToken: String,
        refreshToken: String
    ) {
        manager.interceptors = [
            AuthenticationInterceptor.bearer(initial: BearerToken(savedToken)) { _ in
                let form = ["refresh": refreshToken]
                let grant = try await accounts.post("token", parameters: form, as: Grant.self)
                return BearerToken(grant.token)
            }
        ]
    }

    static func refreshEarly(
        manager: HTTPSessionManager,
        accounts: HTTPSessionManager,
        savedToken: String,
        savedDate: Date,
        refreshToken: String
    ) {
        let token = BearerToken(savedToken, expirationDate: savedDate)
        manager.interceptors = [
            AuthenticationInterceptor.bearer(initial: token) { _ in
                let form = ["refresh": refreshToken]
                let grant = try await accounts.post("token", parameters: form, as: Grant.self)
                let expiration = Date(timeIntervalSinceNow: grant.lifetime ?? 3600)
                return BearerToken(grant.token, expirationDate: expiration)
            }
        ]
    }

    static func oauth(
        manager: HTTPSessionManager,
        endpoint: URL,
        secret: String,
        file: URL,
        save: @escaping @Sendable (OAuth2Token) -> Void
    ) -> AuthenticationInterceptor<OAuth2Authenticator> {
        let saved = try? JSONDecoder().decode(OAuth2Token.self, from: Data(contentsOf: file))
        let oauth = OAuth2Authenticator(
            tokenEndpoint: endpoint,
            client: OAuth2Client(id: "app", secret: secret),
            grant: .refreshToken
        )
        let authentication = AuthenticationInterceptor(oauth, credential: saved, didRefresh: save)
        manager.interceptors = [authentication]
        return authentication
    }

    static func dates(manager: HTTPSessionManager, draft: Meeting) async throws -> Meeting {
        manager.requestSerializer = JSONRequestSerializer { $0.dateEncodingStrategy = .iso8601 }
        let meeting = try await manager.send(
            .post("meetings", serializer: .decodable(Meeting.self, dates: .iso8601))
                .parameters(.encoding(draft))
        )
        return meeting
    }

    static func optionals(manager: HTTPSessionManager, name: String, email: String?) async throws -> User {
        let user = try await manager.post(
            "users",
            parameters: ["name": name, "email": email as Any],
            as: User.self
        )
        return user
    }

    static func bytes(manager: HTTPSessionManager, photo: Data) async throws -> Data {
        var request = try manager.makeRequest(.put("photos/1", serializer: .data))
        request.setValue("image/png", forHTTPHeaderField: "Content-Type")
        let answer = try await manager.upload(for: request, from: photo, serializer: .data)
        return answer
    }

    static func compressed(manager: HTTPSessionManager, meetings: [Meeting]) async throws -> Data {
        let json = try JSONEncoder().encode(meetings)
        let body = RequestBody(coding: .gzip) {
            AsyncStream { pieces in
                pieces.yield(json)
                pieces.finish()
            }
        }
        let request = Request(.post, "meetings", serializer: .data).body(body)
        let answer = try await manager.send(request.headers(["Content-Type": "application/json"]))
        return answer
    }

    static func resume(manager: HTTPSessionManager, folder: URL) async throws -> URL {
        do {
            return try await manager.download(.get("file.zip"), to: .directory(folder))
        } catch {
            guard let resumeData = error.resumeData else { throw error }
            return try await manager.download(resumingWith: resumeData, to: .directory(folder))
        }
    }

    static func page(manager: HTTPSessionManager) async throws -> [User] {
        var users: [User] = []
        for try await page in manager.pages(of: .get("users", as: [User].self)) {
            users += page.value
        }
        return users
    }

    static func download(manager: HTTPSessionManager, folder: URL, terminal: FileHandle) async throws -> URL {
        let file = try await manager.download(
            .get("file.zip"),
            to: .directory(folder)
        ) { update in
            guard let done = update.fractionCompleted else { return }
            let count = Int(done * 40)
            let bar = String(repeating: "#", count: count)
            let rest = String(repeating: ".", count: 40 - count)
            try? terminal.write(contentsOf: Data("\r\(bar)\(rest) \(Int(done * 100)) %".utf8))
        }
        return file
    }

    static func upload(manager: HTTPSessionManager, file: URL) async throws -> Photo {
        let photo = try await manager.upload(
            "photos",
            parameters: ["album": "sea"],
            as: Photo.self
        ) { form in
            try form.append(fileURL: file, name: "photo")
        }
        return photo
    }

    static func lines(manager: HTTPSessionManager, handle: (String) -> Void) async throws {
        for try await line in manager.stream(.get("log")).lines {
            handle(line)
        }
    }

    static func events(manager: HTTPSessionManager, handle: (String) -> Void) async throws {
        let events = manager.stream(.get("events")).events
        for try await event in events where event.type == "message" {
            handle(event.data)
        }
    }
}

struct Grant: Decodable, Sendable {
    var token: String
    var lifetime: Double?
}

struct Meeting: Codable, Sendable {
    var title: String
    var date: Date
}

struct Photo: Decodable, Sendable {
    var id: Int
}
