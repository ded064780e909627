import Foundation

extension StandardRoutes {
    static let authentication: [String: Route] = [
        "basic-auth": { call in
            guard call.segments.count == 2 else { return badArgument }
            let expected = Data("\(call.segments[0]):\(call.segments[1])".utf8).base64EncodedString()
            let isRight = credentials(of: call.request, scheme: "Basic") == expected
            return isRight ? accepted(call.segments[0]) : challenge(#"Basic realm="ferry", charset="UTF-8""#)
        },
        "bearer": { call in
            guard call.segments.count == 1 else { return badArgument }
            let isRight = credentials(of: call.request, scheme: "Bearer") == call.segments[0]
            return isRight ? accepted(call.segments[0]) : challenge(#"Bearer realm="ferry""#)
        },
        "digest-auth": { call in
            guard call.segments.count == 2 else { return badArgument }
            let digest = DigestChallenge(
                user: call.segments[0],
                password: call.segments[1],
                algorithm: call.request.query["algorithm"] == "SHA-256" ? .sha256 : .md5
            )
            let isRight = digest.accepts(credentials(of: call.request, scheme: "Digest"), for: call.request)
            return isRight ? accepted(call.segments[0]) : challenge(digest.field)
        },
    ]

    /// Returns the text after the scheme in `Authorization`.
    private static func credentials(of request: LoopbackRequest, scheme: String) -> String? {
        guard let field = request.header("Authorization") else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, LoopbackHeaders.isSame(String(parts[0]), scheme) else { return nil }
        return String(parts[1])
    }

    private static func accepted(_ user: String) -> LoopbackResponse {
        .json(encoding: ["user": user])
    }

    private static func challenge(_ field: String) -> LoopbackResponse {
        .text("unauthorized\n", status: 401).adding("WWW-Authenticate", field)
    }
}
