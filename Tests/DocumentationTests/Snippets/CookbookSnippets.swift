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
            terminal.write(Data("\r\(bar) \(Int(fraction * 100)) %".utf8))
        }
        return file
    }

    static func upload(manager: HTTPSessionManager, file: URL) async throws -> Photo {
        let photo = try await manager.upload("photos", parameters: ["album": "sea"], as: Photo.self) { form in
            try form.append(fileURL: file, name: "photo")
        }
        return photo
    }

    static func lines(manager: HTTPSessionManager, handle: (String) -> Void) async throws -> Data {
        var received = Data()
        for try await piece in manager.stream(.get("log")) {
            received += piece
            for line in takeLines(from: &received) { handle(line) }
        }
        return received
    }

    static func events(manager: HTTPSessionManager, handle: (String) -> Void) async throws {
        var (received, data) = (Data(), [Substring]())
        for try await piece in manager.stream(.get("events")) {
            received += piece
            for line in takeLines(from: &received) {
                if line == "data" || line.hasPrefix("data:") { data.append(line.dropFirst(5).trimmingPrefix(" ")) }
                guard line.isEmpty, !data.isEmpty else { continue }
                handle(data.joined(separator: "\n"))
                data = []
            }
        }
    }
}

struct Grant: Decodable, Sendable {
    var token: String
}

struct Photo: Decodable, Sendable {
    var id: Int
}

func takeLines(from data: inout Data) -> [String] {
    var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    data = lines.popLast() ?? Data()
    return lines.map { String(decoding: $0.last == 13 ? $0.dropLast() : $0, as: UTF8.self) }
}
