import Foundation

/// The built-in routes, which are selected by the first segment of the path.
enum StandardRoutes {
    /// A request and the segments of its path after the first.
    struct Call {
        let request: LoopbackRequest
        let segments: [String]

        init(_ request: LoopbackRequest) {
            self.request = request
            segments = request.path.split(separator: "/").dropFirst().map(String.init)
        }

        /// Returns a segment as a nonnegative number.
        func number(_ index: Int) -> Int? {
            guard index < segments.count, let number = Int(segments[index]), number >= 0 else { return nil }
            return number
        }

        /// Returns a query item as a nonnegative number.
        func number(_ name: String, default standard: Int) -> Int {
            guard let number = request.query[name].flatMap({ Int($0) }), number >= 0 else { return standard }
            return number
        }

        /// Returns a query item in milliseconds as seconds.
        func seconds(_ name: String, default milliseconds: Int) -> TimeInterval {
            TimeInterval(number(name, default: milliseconds)) / 1000
        }

        /// Returns whether a query item is present and not `0`.
        func flag(_ name: String) -> Bool {
            request.query[name].map { $0 != "0" } ?? false
        }
    }

    typealias Route = @Sendable (Call) -> LoopbackResponse

    static let notFound = LoopbackResponse.text("There is no such route.\n", status: 404)
    static let badArgument = LoopbackResponse.text("An argument of the route is wrong.\n", status: 400)

    /// The greatest number of bytes a route keeps in memory.
    static let memoryLimit = 256 << 20

    static func respond(to request: LoopbackRequest) -> LoopbackResponse {
        let first = request.path.split(separator: "/").first.map(String.init) ?? ""
        guard let route = table[first] else { return notFound }
        return route(Call(request))
    }

    private static let table: [String: Route] = [
        inspection, bodies, faults, headerForms, redirects, authentication, cookies, documents,
    ].reduce(into: [:]) { table, part in table.merge(part) { first, _ in first } }
}
