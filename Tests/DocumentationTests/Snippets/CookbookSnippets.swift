import Ferry

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
                let grant = try await accounts.post("token", parameters: ["refresh": refreshToken], as: Grant.self)
                return BearerToken(grant.token)
            }
        ]
    }

    static func page(manager: HTTPSessionManager) async throws -> [User] {
        var users: [User] = []
        for try await page in manager.pages(of: .get("users", as: [User].self)) {
            users += page.value
        }
        return users
    }

    static func download(manager: HTTPSessionManager, folder: URL, terminal: FileHandle) async throws -> URL {
        let file = try await manager.download(.get("file.zip"), to: .directory(folder)) { update in
            guard let fraction = update.fractionCompleted else { return }
            let count = Int(fraction * 40)
            let bar = String(repeating: "#", count: count) + String(repeating: ".", count: 40 - count)
            try? terminal.write(contentsOf: Data("\r\(bar) \(Int(fraction * 100)) %".utf8))
        }
        return file
    }

    static func upload(manager: HTTPSessionManager, file: URL) async throws -> Photo {
        let photo = try await manager.upload("photos", parameters: ["album": "sea"], as: Photo.self) { form in
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
        for try await event in manager.stream(.get("events")).events where event.type == "message" {
            handle(event.data)
        }
    }
}

struct Grant: Decodable, Sendable {
    var token: String
}

struct Photo: Decodable, Sendable {
    var id: Int
}
