import Foundation

extension StandardRoutes {
    static let cookies: [String: Route] = [
        "cookies": { call in
            switch call.segments.first {
            case nil:
                return .json(encoding: received(call.request))
            case "set":
                return setting(call) { "\($0.name)=\($0.value ?? ""); Path=/" }
            case "delete":
                return setting(call) { "\($0.name)=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT" }
            default:
                return notFound
            }
        }
    ]

    private static func setting(_ call: Call, _ line: (URLQueryItem) -> String) -> LoopbackResponse {
        var response = LoopbackResponse.json(encoding: received(call.request))
        for item in call.request.queryItems { response.headers.add("Set-Cookie", line(item)) }
        return response
    }

    /// Returns the cookies of a request by name.
    private static func received(_ request: LoopbackRequest) -> [String: String] {
        let pairs = request.headers.values(for: "Cookie").flatMap { $0.split(separator: ";") }
        return pairs.reduce(into: [:]) { cookies, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            cookies[name] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
    }
}
