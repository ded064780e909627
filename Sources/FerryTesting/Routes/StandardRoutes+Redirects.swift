import Foundation

extension StandardRoutes {
    static let redirects: [String: Route] = [
        "redirect": { call in
            guard let count = call.number(0) else { return badArgument }
            let query = call.request.target.firstIndex(of: "?").map { String(call.request.target[$0...]) } ?? ""
            // A relative reference, which a client resolves against the path of this request.
            var location = count > 1 ? "\(count - 1)\(query)" : "../echo"
            if call.flag("absolute"), let host = call.request.header("Host") {
                location = "http://\(host)/" + (count > 1 ? "redirect/\(location)" : "echo")
            }
            return .redirect(to: location, status: call.number("status", default: 302))
        },
        "redirect-to": { call in
            guard let url = call.request.query["url"] else { return badArgument }
            return .redirect(to: url, status: call.number("status", default: 302))
        },
        "redirect-loop": { _ in .redirect(to: "/redirect-loop") },
    ]
}
