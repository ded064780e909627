import FerryAPI

/// The snippets about header fields, links, pages and problems, compiled but not run.
enum PageSnippets {
    struct MessageList: Decodable, Sendable {
        var messages: [String]
        var nextCursor: String?
    }

    static func fields(manager: HTTPSessionManager) async {
        let response = await manager.response(for: .get("login", serializer: .data))
        for cookie in response.headerFields.values(for: "Set-Cookie") { print(cookie) }
        for field in response.headerFields { print(field.name) }
        let sum = response.trailerFields["Content-Digest"]
        print(sum ?? "no digest")
    }

    static func links(manager: HTTPSessionManager) async {
        let chapter = await manager.response(
            for: .get("chapters/2", serializer: .string)
        )
        if let next = chapter.links.first(rel: "next") {
            print(next.target, next.title ?? "no title", next.type ?? "unknown type")
        }
    }

    static func pages(manager: HTTPSessionManager) async throws {
        for try await page in manager.pages(of: .get("users", as: [User].self)) {
            print(page.index, page.value.map(\.name))
        }
    }

    static func cursor(manager: HTTPSessionManager) async throws {
        let list = Request<MessageList>.get("messages").parameters(["limit": 50])
        for try await page in manager.pages(
            of: list,
            next: .cursor("cursor", \.nextCursor)
        ) {
            print(page.value.messages.count)
        }
    }

    static func closure(manager: HTTPSessionManager) -> PageSequence<[User]> {
        let pages = manager.pages(
            of: .get("users?offset=0", as: [User].self)
        ) { response in
            guard let users = response.value, let last = users.last else { return nil }
            return .get("users?after=\(last.id)")
        }
        return pages
    }

    static func problem(error: NetworkError) {
        if let problem = error.problem {
            print(
                problem.type,
                problem.title ?? "",
                problem.detail ?? "",
                problem.extensions["balance"]?.int ?? 0
            )
        }
    }
}
