import Foundation

/// A method and a path with the handler for them.
///
/// ```swift
/// let server = try LoopbackServer(routes: [
///     LoopbackRoute("GET", "/users/:id") { .text("user \($0.parameters["id"] ?? "")") },
///     LoopbackRoute("PUT", "/files/*") { _ in .status(201) },
/// ])
/// ```
public struct LoopbackRoute: Sendable {
    /// The method it answers; nil for any.
    ///
    /// A route for `GET` answers `HEAD` as well.
    public let method: String?

    /// The path, in which `:name` stands for one segment and a final `*` for any rest.
    public let path: String

    /// How the request body is read.
    public let bodyReading: LoopbackBodyReading

    /// Answers the requests that match.
    public let handler: LoopbackServer.Handler

    private let segments: [Substring]

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - method: The method it answers; nil for any.
    ///   - path: The path, in which `:name` stands for one segment and a final `*` for any rest.
    ///   - bodyReading: How the request body is read.
    ///   - handler: Answers the requests that match, on the connection's thread.
    public init(
        _ method: String? = nil,
        _ path: String,
        bodyReading: LoopbackBodyReading = .whole,
        handler: @escaping LoopbackServer.Handler
    ) {
        self.method = method
        self.path = path
        self.bodyReading = bodyReading
        self.handler = handler
        segments = path.split(separator: "/")
    }

    /// What the variable parts of the path match, the rest as `*`; nil if the request is not for this route.
    func match(_ request: LoopbackRequest) -> [String: String]? {
        if let method, method != request.method, !(method == "GET" && request.method == "HEAD") { return nil }
        var parameters: [String: String] = [:]
        var rest = request.path.split(separator: "/")[...]
        for segment in segments {
            if segment == "*" {
                parameters["*"] = rest.joined(separator: "/")
                return parameters
            }
            guard let actual = rest.popFirst() else { return nil }
            if segment.hasPrefix(":") {
                parameters[String(segment.dropFirst())] = String(actual)
            } else if segment != actual {
                return nil
            }
        }
        return rest.isEmpty ? parameters : nil
    }
}
