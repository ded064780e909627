import Foundation

/// Digest access authentication (RFC 7616) for one user, with a fixed nonce and `qop=auth`.
struct DigestChallenge {
    enum Algorithm: String {
        case md5 = "MD5"
        case sha256 = "SHA-256"
    }

    let user: String
    let password: String
    let algorithm: Algorithm

    private let realm = "ferry"
    private let nonce = "f0e1d2c3b4a5"

    init(user: String, password: String, algorithm: Algorithm) {
        self.user = user
        self.password = password
        self.algorithm = algorithm
    }

    /// The value of `WWW-Authenticate`.
    var field: String {
        #"Digest realm="\#(realm)", nonce="\#(nonce)", qop="auth", algorithm=\#(algorithm.rawValue)"#
    }

    /// Returns whether the parameters after `Digest` prove that the client knows the password.
    func accepts(_ credentials: String?, for request: LoopbackRequest) -> Bool {
        guard let credentials else { return false }
        let given = Self.parameters(credentials)
        guard given["username"] == user, given["nonce"] == nonce, given["uri"] == request.target,
            let count = given["nc"], let clientNonce = given["cnonce"]
        else { return false }
        let secret = hash("\(user):\(realm):\(password)")
        let action = hash("\(request.method):\(request.target)")
        return given["response"] == hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(action)")
    }

    private func hash(_ text: String) -> String {
        switch algorithm {
        case .md5: MD5.hexDigest(of: Data(text.utf8))
        case .sha256: SHA256.hexDigest(of: Data(text.utf8))
        }
    }

    /// Parses `name=value, name="value"`; commas within quotes are not separators.
    static func parameters(_ text: String) -> [String: String] {
        var result: [String: String] = [:]
        var isQuoted = false
        let parts = text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            result[pair[0].trimmingCharacters(in: .whitespaces).lowercased()] =
                pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
        }
        return result
    }
}
