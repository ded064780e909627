import Ferry
import FerryTesting
import ManagerSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ResilienceTests {
    @Test("One line sets deadline, retries and circuit breaker, and nil removes them")
    func properties() {
        let manager = HTTPSessionManager()
        #expect(manager.resilience == nil)
        manager.resilience = .standard
        #expect(manager.deadline == 60)
        #expect(manager.retryPolicy?.maximumRetries == RetryPolicy.standard.maximumRetries)
        #expect(manager.circuitBreaker != nil)
        manager.circuitBreaker = nil
        #expect(manager.resilience?.circuitBreaker == nil)
        manager.resilience = nil
        #expect(manager.deadline == nil && manager.retryPolicy == nil && manager.circuitBreaker == nil)
    }

    @Test("A manager's tasks stop at its circuit breaker, and say why")
    func breaker() async throws {
        let server = try LoopbackServer { _ in .status(500) }
        let manager = HTTPSessionManager(baseURL: server.url)
        var rule = CircuitBreaker.Rule()
        (rule.minimumRequests, rule.openTime) = (3, 600)
        manager.circuitBreaker = CircuitBreaker(rule)
        for _ in 0..<3 {
            let error = await #expect(throws: NetworkError.self) { try await manager.get("/", as: String.self) }
            #expect(error?.response?.statusCode == 500)
        }
        let error = await #expect(throws: NetworkError.self) { try await manager.get("/", as: String.self) }
        #expect(error?.response == nil)
        let cause = (error?.underlyingError as? URLError)?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        #expect(cause?.code == .circuitOpen)
        #expect(server.requests.count == 3)
    }

    @Test("A manager that sends everything again gets through to a server that fails now and then")
    func passing() async throws {
        let count = Watched(0)
        let server = try LoopbackServer { _ in
            let isGood = count.change { count in
                count += 1
                return count % 3 == 0
            }
            return isGood ? .json("\"well\"") : .status(503)
        }
        let manager = HTTPSessionManager(baseURL: server.url)
        manager.resilience = .standard
        manager.retryPolicy?.backoff = .init(base: 0)
        for _ in 0..<3 { _ = try await manager.get("/", as: String.self) }
        #expect(count.current == 9)
    }
}
