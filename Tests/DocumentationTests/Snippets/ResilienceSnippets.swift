import Ferry

// The snippets of the articles about resilience and HSTS, compiled but not run.

enum ResilienceSnippets {
    static func standard(manager: HTTPSessionManager) {
        manager.resilience = .standard
    }

    static func breaker(manager: HTTPSessionManager) {
        var rule = CircuitBreaker.Rule()
        rule.failureShare = 0.25
        rule.failureStatusCodes.insert(520)
        let breaker = CircuitBreaker(rule) { change in
            print(change.origin, change.state)
        }
        manager.circuitBreaker = breaker
    }

    static func hedging(manager: HTTPSessionManager) {
        var rule = Hedging.Rule()
        rule.delay = .percentile(0.99)
        rule.budget = 0.01
        manager.hedging = Hedging(rule)
    }

    static func store(folder: URL) throws -> CurlSession {
        let store = try HSTSStore(file: folder.appendingPathComponent("hsts.txt"))
        store.add("example.com", includesSubdomains: true)
        var options = CurlSession.Options()
        options.hsts = .store(store)
        let session = CurlSession(configuration: .default, options: options)
        return session
    }
}
