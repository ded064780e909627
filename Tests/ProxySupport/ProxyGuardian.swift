import FerryTesting
import Foundation

/// The access check of a proxy, by Basic (RFC 7617) or Digest (RFC 7616) authentication.
struct ProxyGuardian: Sendable {
    private let authentication: TestProxy.Authentication
    private let realm = "proxy"
    private let nonce = "a1b2c3"

    init(_ authentication: TestProxy.Authentication) {
        self.authentication = authentication
    }

    var isOpen: Bool {
        if case .none = authentication { true } else { false }
    }

    /// The value of `Proxy-Authenticate`.
    var challenge: String {
        switch authentication {
        case .none, .basic: #"Basic realm="\#(realm)""#
        case .digest:
            #"Basic realm="\#(realm)", Digest realm="\#(realm)", nonce="\#(nonce)", qop="auth", algorithm=SHA-256"#
        }
    }

    func admits(_ credentials: String?, method: String) -> Bool {
        switch authentication {
        case .none: return true
        case .basic(let user, let password):
            return credentials == "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        case .digest(let user, let password):
            guard let credentials, credentials.hasPrefix("Digest ") else { return false }
            let given = parameters(credentials.dropFirst(7))
            guard given["username"] == user, given["nonce"] == nonce, let uri = given["uri"], let count = given["nc"],
                let clientNonce = given["cnonce"]
            else { return false }
            let secret = hash("\(user):\(realm):\(password)")
            return given["response"]
                == hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(hash("\(method):\(uri)"))")
        }
    }

    func admits(user: String, password: String) -> Bool {
        switch authentication {
        case .none: true
        case .basic(let name, let secret), .digest(let name, let secret): (user, password) == (name, secret)
        }
    }

    private func hash(_ text: String) -> String { SHA256Hash.hash(Data(text.utf8)).hexadecimal }

    private func parameters(_ text: Substring) -> [String: String] {
        var result: [String: String] = [:]
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            result[pair[0].trimmingCharacters(in: .whitespaces)] =
                pair[1].trimmingCharacters(in: CharacterSet(charactersIn: " \""))
        }
        return result
    }
}
