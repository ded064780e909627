import FerryAPI
import Foundation

extension Account {
    func awsCredentials() async throws -> AWSCredentials {
        AWSCredentials(accessKeyID: "id", secretAccessKey: "secret")
    }

    func signature(of base: Data) async throws -> Data { base }
}

/// The snippets about signed requests, compiled but not run.
enum SignatureSnippets {
    static func aws(manager: HTTPSessionManager, account: Account) {
        manager.interceptors = [
            AWSSignatureV4(region: "eu-central-1", service: "s3") {
                try await account.awsCredentials()
            }
        ]
    }

    static func shared(manager: HTTPSessionManager, key: Data) {
        var signature = HTTPMessageSignature(
            [.method, .targetURI, .contentDigest, "content-type"],
            keyID: "key-1",
            hmacSHA256: key
        )
        signature.lifetime = 300
        signature.tag = "my-app"
        manager.interceptors = [signature]
    }

    static func closure(manager: HTTPSessionManager, account: Account) {
        let signature = HTTPMessageSignature(
            [.method, .authority, .path],
            keyID: "key-2"
        ) { base in
            try await account.signature(of: base)
        }
        manager.interceptors = [signature]
    }
}
