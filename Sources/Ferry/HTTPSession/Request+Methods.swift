extension Request {
    /// Returns a GET request whose response a serializer decodes.
    public static func get(_ path: String, serializer: some ResponseSerializer<Value>) -> Request {
        Request(.get, path, serializer: serializer)
    }

    /// Returns a HEAD request whose response a serializer decodes.
    public static func head(_ path: String, serializer: some ResponseSerializer<Value>) -> Request {
        Request(.head, path, serializer: serializer)
    }

    /// Returns a POST request whose response a serializer decodes.
    public static func post(_ path: String, serializer: some ResponseSerializer<Value>) -> Request {
        Request(.post, path, serializer: serializer)
    }

    /// Returns a PUT request whose response a serializer decodes.
    public static func put(_ path: String, serializer: some ResponseSerializer<Value>) -> Request {
        Request(.put, path, serializer: serializer)
    }

    /// Returns a PATCH request whose response a serializer decodes.
    public static func patch(_ path: String, serializer: some ResponseSerializer<Value>) -> Request {
        Request(.patch, path, serializer: serializer)
    }

    /// Returns a DELETE request whose response a serializer decodes.
    public static func delete(_ path: String, serializer: some ResponseSerializer<Value>) -> Request {
        Request(.delete, path, serializer: serializer)
    }
}

extension Request where Value: Decodable {
    /// Returns a GET request for a value decoded from JSON.
    public static func get(_ path: String, as type: Value.Type = Value.self) -> Request {
        Request(.get, path, as: type)
    }

    /// Returns a POST request for a value decoded from JSON.
    public static func post(_ path: String, as type: Value.Type = Value.self) -> Request {
        Request(.post, path, as: type)
    }

    /// Returns a PUT request for a value decoded from JSON.
    public static func put(_ path: String, as type: Value.Type = Value.self) -> Request {
        Request(.put, path, as: type)
    }

    /// Returns a PATCH request for a value decoded from JSON.
    public static func patch(_ path: String, as type: Value.Type = Value.self) -> Request {
        Request(.patch, path, as: type)
    }

    /// Returns a DELETE request for a value decoded from JSON.
    public static func delete(_ path: String, as type: Value.Type = Value.self) -> Request {
        Request(.delete, path, as: type)
    }
}

extension Request where Value == any Sendable {
    /// Returns a GET request whose response the manager's serializer decodes.
    public static func get(_ path: String) -> Request { Request(.get, path) }

    /// Returns a HEAD request whose response the manager's serializer decodes.
    public static func head(_ path: String) -> Request { Request(.head, path) }

    /// Returns a POST request whose response the manager's serializer decodes.
    public static func post(_ path: String) -> Request { Request(.post, path) }

    /// Returns a PUT request whose response the manager's serializer decodes.
    public static func put(_ path: String) -> Request { Request(.put, path) }

    /// Returns a PATCH request whose response the manager's serializer decodes.
    public static func patch(_ path: String) -> Request { Request(.patch, path) }

    /// Returns a DELETE request whose response the manager's serializer decodes.
    public static func delete(_ path: String) -> Request { Request(.delete, path) }
}
