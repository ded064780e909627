import Ferry
import Testing

@testable import FerryCommand

@Suite("Retry options")
struct RetryOptionsTests {
    private func options(_ arguments: String...) throws -> FetchOptions {
        guard case .fetch(let options) = try Action(parsing: arguments + ["http://a"]) else {
            throw UsageError("not a transfer")
        }
        return options
    }

    @Test("Without --retry, and with 0, there is no policy")
    func none() throws {
        #expect(try options("-s").retryPolicy == nil)
        #expect(try options("--retry", "0").retryPolicy == nil)
    }

    @Test("--retry is the standard policy, whose budget allows all retries of the transfers at one time")
    func standard() throws {
        var expected = RetryPolicy.standard
        expected.maximumRetries = 4
        #expect(try options("--retry", "4").retryPolicy == expected)
        #expect(try options("--retry", "4", "-P", "8").retryPolicy?.budget?.minimum == 32)
        #expect(try options("--retry", "1000", "-P", "256").retryPolicy?.budget?.minimum == 256_000)
    }

    @Test("--retry-all-errors includes all HTTP errors, inactivity, and the method of the request")
    func allErrors() throws {
        let policy = try #require(try options("--retry", "1", "--retry-all-errors", "-d", "x").retryPolicy)
        #expect(policy.statusCodes == Set(400...599))
        #expect(policy.failures == Set(RetryPolicy.Failure.allCases))
        #expect(policy.additionalMethods == ["POST"])
    }

    @Test("--retry-max-time limits each delay, and zero limits nothing")
    func maxTime() throws {
        let short = try #require(try options("--retry", "1", "--retry-max-time", "5").retryPolicy)
        #expect(short.backoff.cap == 5 && short.maximumServerDelay == 5)
        let long = try #require(try options("--retry", "1", "--retry-max-time", "600").retryPolicy)
        #expect(long.backoff.cap == 30 && long.maximumServerDelay == 600)
        #expect(try options("--retry", "1", "--retry-max-time", "0").retryPolicy == options("--retry", "1").retryPolicy)
    }

    @Test("Progress within an entity resets the count of retries, and another entity does not")
    func count() {
        var count = RetryCount(validator: nil, size: 0)
        func retries(_ validator: String?, _ size: Int64) -> Int {
            count.note(validator: validator, size: size)
            count.add()
            return count.retries
        }
        #expect(retries("v1", 2_000) == 1)
        #expect(retries("v1", 3_000) == 2)
        #expect(retries("v1", 4_024) == 1)
        // The download has started over, and has not received as much again.
        #expect(retries("v1", 2_000) == 2)
        #expect(retries("v1", 4_100) == 3)
        #expect(retries("v1", 6_000) == 1)
        #expect(retries("v2", 9_000) == 2)
        #expect(retries("v2", 90_000) == 2)
        #expect(retries("v3", 9_000) == 3)
        #expect(retries("v3", 90_000) == 3)
        #expect(retries(nil, 99_000) == 4)
        #expect(retries(nil, 199_000) == 5)
    }

    @Test("A later task has what is left of the time limits, and at least a moment")
    func rest() throws {
        let given = try options("--deadline", "10", "--retry", "1", "--retry-max-time", "5")
        var own = CurlSession.Options()
        own.setRetries(given)
        #expect(own.deadline == 10)
        #expect(own.retryPolicy?.maximumRetryTime == 5)
        own.setRetries(given, after: 4)
        #expect(own.deadline == 6)
        #expect(own.retryPolicy?.maximumRetryTime == 1)
        own.setRetries(given, after: 40)
        #expect((own.deadline ?? 0) > 0)
        #expect((own.retryPolicy?.maximumRetryTime ?? 0) < 0)
        own.setRetries(try options("--deadline", "0"))
        #expect(own.retryPolicy == nil)
        // A session sends nothing with a deadline of zero.
        #expect(own.deadline == nil)
    }
}
