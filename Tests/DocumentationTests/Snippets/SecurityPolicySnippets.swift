import Ferry

/// The snippets of the article about security policies, compiled but not run.
enum SecurityPolicySnippets {
    static func certificates(folder: URL) throws -> HTTPSessionManager {
        let pins = try SecurityPolicy.certificates(inDirectory: folder)
        let manager = try HTTPSessionManager(
            baseURL: URL(string: "https://api.example.com/"),
            securityPolicy: SecurityPolicy(
                pinningMode: .publicKey,
                pinnedCertificates: pins
            )
        )
        return manager
    }

    static func hosts(manager: SessionManager, currentKey: PublicKeyPin, nextKey: PublicKeyPin) throws {
        var policy = SecurityPolicy()
        policy.hostPolicies["*.example.com"] = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedPublicKeys: [currentKey, nextKey]
        )
        try manager.setSecurityPolicy(policy)
    }

    static func revocation(listsFile: URL) -> SessionManager {
        var options = CurlSession.Options()
        options.tls.revocationLists = listsFile
        options.tls.requiresStapledStatus = true
        let manager = SessionManager(transport: .curl(options: options))
        return manager
    }

    static func refusal(response: TaskResponse<Data>) {
        if let refusal = response.error?.sessionError, refusal.code == .pinMismatch {
            print(refusal.host ?? "", refusal.certificates.count)
        }
    }
}
