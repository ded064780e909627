extension StandardRoutes {
    static let headerForms: [String: Route] = [
        "headers": { call in
            switch call.segments.first {
            case "huge":
                let size = call.number("size", default: 10000)
                let count = call.number("count", default: 1)
                let (total, overflows) = size.multipliedReportingOverflow(by: count)
                guard !overflows, total <= memoryLimit, count <= 100_000 else { return badArgument }
                var response = LoopbackResponse.text("ok")
                for index in 0..<count { response.headers.add("X-Huge-\(index)", String(repeating: "x", count: size)) }
                return response
            case "odd":
                guard call.segments.count == 2, let head = oddHeads[call.segments[1]] else {
                    return .text(oddHeads.keys.sorted().joined(separator: "\n"), statusCode: 404)
                }
                var response = LoopbackResponse.text("ok")
                response.rawHead = head
                return response
            default: return notFound
            }
        }
    ]

    /// Heads for the body `ok`, most of them valid; the names of invalid ones begin with `invalid-`.
    private static let oddHeads: [String: Data] = [
        "no-space": "HTTP/1.1 200 OK\r\nX-Odd:v\r\nContent-Length:2\r\n\r\n",
        "blank-value": "HTTP/1.1 200 OK\r\nX-Odd:  \r\nContent-Length: 2\r\n\r\n",
        "empty-value": "HTTP/1.1 200 OK\r\nX-Odd:\r\nContent-Length: 2\r\n\r\n",
        "padded-value": "HTTP/1.1 200 OK\r\nX-Odd: \t v \t \r\nContent-Length: 2  \r\n\r\n",
        "obs-fold": "HTTP/1.1 200 OK\r\nX-Odd: one\r\n two\r\n\tthree\r\nContent-Length: 2\r\n\r\n",
        "lf-only": "HTTP/1.1 200 OK\nX-Odd: v\nContent-Length: 2\n\n",
        "no-reason": "HTTP/1.1 200\r\nX-Odd: v\r\nContent-Length: 2\r\n\r\n",
        "empty-reason": "HTTP/1.1 200 \r\nX-Odd: v\r\nContent-Length: 2\r\n\r\n",
        "long-reason": "HTTP/1.1 200 All is well: 100 % (really)\r\nX-Odd: v\r\nContent-Length: 2\r\n\r\n",
        "utf8": "HTTP/1.1 200 OK\r\nX-Odd: caf\u{e9}\r\nContent-Length: 2\r\n\r\n",
        "duplicate": "HTTP/1.1 200 OK\r\nX-Odd: A\r\nX-Odd: B\r\nX-Odd: C\r\nContent-Length: 2\r\n\r\n",
        "duplicate-case": "HTTP/1.1 200 OK\r\nX-Odd: A\r\nx-odd: B\r\nX-ODD: C\r\nContent-Length: 2\r\n\r\n",
        "lower-case": "HTTP/1.1 200 OK\r\nx-odd: v\r\ncontent-length: 2\r\n\r\n",
        "http10": "HTTP/1.0 200 OK\r\nX-Odd: v\r\n\r\n",
        "until-close": "HTTP/1.1 200 OK\r\nX-Odd: v\r\n\r\n",
        "equal-lengths": "HTTP/1.1 200 OK\r\nX-Odd: v\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n",
        "invalid-no-colon": "HTTP/1.1 200 OK\r\nX-Odd\r\nContent-Length: 2\r\n\r\n",
        "invalid-space-before-colon": "HTTP/1.1 200 OK\r\nX-Odd : v\r\nContent-Length: 2\r\n\r\n",
        "invalid-status": "HTTP/1.1 2xx OK\r\nX-Odd: v\r\nContent-Length: 2\r\n\r\n",
        "invalid-length": "HTTP/1.1 200 OK\r\nX-Odd: v\r\nContent-Length: two\r\n\r\n",
        "invalid-lengths": "HTTP/1.1 200 OK\r\nX-Odd: v\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
        "invalid-nul": "HTTP/1.1 200 OK\r\nX-Odd: a\u{0}b\r\nContent-Length: 2\r\n\r\n",
    ].mapValues { Data($0.utf8) }.merging([
        "latin1": Data("HTTP/1.1 200 OK\r\nX-Odd: caf".utf8) + Data([0xe9])
            + Data("\r\nContent-Length: 2\r\n\r\n".utf8)
    ]) { first, _ in first }
}

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
            return .redirect(to: location, statusCode: call.number("status", default: 302))
        },
        "redirect-to": { call in
            guard let url = call.request.query["url"] else { return badArgument }
            return .redirect(to: url, statusCode: call.number("status", default: 302))
        },
        "redirect-loop": { _ in .redirect(to: "/redirect-loop") },
    ]
}

extension StandardRoutes {
    static let cookies: [String: Route] = [
        "cookies": { call in
            switch call.segments.first {
            case nil: return .json(encoding: received(call.request))
            case "set": return setting(call) { "\($0.name)=\($0.value ?? ""); Path=/" }
            case "delete":
                return setting(call) { "\($0.name)=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT" }
            default: return notFound
            }
        }
    ]

    private static func setting(_ call: Call, _ line: (URLQueryItem) -> String) -> LoopbackResponse {
        var response = LoopbackResponse.json(encoding: received(call.request))
        for item in call.request.queryItems { response.headers.add("Set-Cookie", line(item)) }
        return response
    }

    private static func received(_ request: LoopbackRequest) -> [String: String] {
        let pairs = request.headers.values(for: "Cookie").flatMap { $0.split(separator: ";") }
        return pairs.reduce(into: [:]) { cookies, pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            cookies[name] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
    }
}
