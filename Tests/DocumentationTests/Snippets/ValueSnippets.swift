import FerryXML

/// The snippets of the articles about JSON and XML, compiled but not run.
enum ValueSnippets {
    struct Problem: Decodable {
        let title: String
    }

    static func json(manager: HTTPSessionManager) async throws -> JSONValue {
        let json = try await manager.send(.get("users/1", serializer: .json))
        print(json.name?.string ?? "no name", json["tags"]?[0]?.string ?? "no tag")
        print(json.balance?.number?.decimalValue ?? 0)
        let change: JSONValue = ["name": "Ada", "age": 36, "email": .null]
        return change
    }

    static func reading() throws -> JSONValue {
        let value = try JSONValue(json: #"{"price": 0.1}"#)
        return value
    }

    static func typed(manager: HTTPSessionManager) async throws {
        let user = try await manager.send(
            .get(
                "users/1",
                serializer: .decodable(
                    User.self,
                    keys: .convertFromSnakeCase,
                    dates: .iso8601
                )
            )
        )
        print(user.name)
    }

    static func problem(manager: HTTPSessionManager) async throws {
        do {
            try await manager.delete("users/1")
        } catch {
            let problem = try error.decodedBody(as: Problem.self)
            print(error.statusCode ?? 0, problem.title)
        }
    }

    static func parser(manager: HTTPSessionManager, delegate: any XMLParserDelegate) async throws {
        let content = try await manager.send(.get("feed", serializer: .xmlParser))
        let parser = content.makeParser()
        parser.delegate = delegate
        guard parser.parse() else {
            throw parser.parserError ?? CocoaError(.fileReadCorruptFile)
        }
    }

    static func document(manager: HTTPSessionManager) async throws {
        let parsed = try await manager.send(.get("feed", serializer: .xmlDocument))
        let document = try parsed.makeDocument()
        print(try document.nodes(forXPath: "//title").first?.stringValue ?? "no title")
    }
}
