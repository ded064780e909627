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
        guard parts.count == 2, String(parts[0]).isEqualIgnoringCase(scheme) else { return nil }
        return String(parts[1])
    }

    private static func accepted(_ user: String) -> LoopbackResponse { .json(encoding: ["user": user]) }

    private static func challenge(_ field: String) -> LoopbackResponse {
        .text("unauthorized\n", statusCode: 401).adding("WWW-Authenticate", field)
    }
}

/// Digest access authentication (RFC 7616) for one user, with a fixed nonce and `qop=auth`.
struct DigestChallenge {
    enum Algorithm: String {
        case md5 = "MD5"
        case sha256 = "SHA-256"
    }

    let user: String
    let password: String
    let algorithm: Algorithm

    private static let realm = "ferry"
    private static let nonce = "f0e1d2c3b4a5"

    /// The value of `WWW-Authenticate`.
    var field: String {
        #"Digest realm="\#(Self.realm)", nonce="\#(Self.nonce)", qop="auth", algorithm=\#(algorithm.rawValue)"#
    }

    /// Returns whether the parameters after `Digest` prove that the client knows the password.
    func accepts(_ credentials: String?, for request: LoopbackRequest) -> Bool {
        guard let credentials else { return false }
        let given = FieldParts.parameters(credentials, separator: ",")
        guard given["username"] == user, given["nonce"] == Self.nonce, given["uri"] == request.target,
            let count = given["nc"], let clientNonce = given["cnonce"]
        else { return false }
        let secret = hash("\(user):\(Self.realm):\(password)")
        let action = hash("\(request.method):\(request.target)")
        return given["response"] == hash("\(secret):\(Self.nonce):\(count):\(clientNonce):auth:\(action)")
    }

    private func hash(_ text: String) -> String {
        switch algorithm {
        case .md5: MD5.hexDigest(of: Data(text.utf8))
        case .sha256: SHA256Hash.hash(Data(text.utf8)).hexadecimal
        }
    }
}

/// The MD5 hash (RFC 1321) of short texts, which digest authentication still uses.
enum MD5 {
    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    /// Returns the hash as 32 lowercase hexadecimal digits.
    static func hexDigest(of data: Data) -> String {
        var message = [UInt8](data) + [0x80]
        message += [UInt8](repeating: 0, count: (120 - message.count % 64) % 64)
        message += [UInt8](UInt64(data.count &* 8).littleEndianBytes)
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
        for start in stride(from: 0, to: message.count, by: 64) {
            compress(message[start..<start + 64], into: &state)
        }
        return state.flatMap(\.littleEndianBytes).hexadecimal
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        let words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[block.startIndex + index * 4 + $1]) << UInt32($1 * 8) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let (mixed, word) =
                switch step / 16 {
                case 0: ((b & c) | (~b & d), step)
                case 1: ((d & b) | (~d & c), (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), 7 * step % 16)
                }
            let sum = a &+ mixed &+ constants[step] &+ words[word]
            let shift = shifts[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
    }
}
