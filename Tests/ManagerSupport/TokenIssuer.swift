import Ferry
import Foundation
import TestSupport

/// Tokens that are numbered as they are issued: `token-1`, `token-2`.
package final class TokenIssuer: Sendable {
    private let issued = Watched(0)
    private let open: Watched<Bool>
    private let failure = Watched<(any Error)?>(nil)
    private let lifetime: TimeInterval?
    private let clock: ManualClock

    package init(_ clock: ManualClock = ManualClock(), lifetime: TimeInterval? = nil, isOpen: Bool = true) {
        (self.clock, self.lifetime, open) = (clock, lifetime, Watched(isOpen))
    }

    /// The number of refreshes that have begun.
    package var count: Int { issued.current }

    /// Ends the refreshes, with an error if there is one.
    package func finish(throwing error: (any Error)? = nil) {
        failure.change { $0 = error }
        open.change { $0 = true }
    }

    /// Makes the next refreshes wait.
    package func close() { open.change { $0 = false } }

    package func token() async throws -> BearerToken {
        let number = issued.change { count in
            count += 1
            return count
        }
        try await open.wait { $0 }
        if let error = failure.current { throw error }
        return BearerToken("token-\(number)", expirationDate: lifetime.map { clock.now + $0 })
    }

    /// Returns an interceptor whose tokens come from here.
    package func interceptor(
        initial: BearerToken? = BearerToken("old"),
        _ configure: (inout AuthenticationOptions) -> Void = { _ in },
        didRefresh: (@Sendable (BearerToken) -> Void)? = nil
    ) -> AuthenticationInterceptor<BearerAuthenticator> {
        AuthenticationInterceptor(
            BearerAuthenticator { [self] _ in try await token() },
            credential: initial,
            options: AuthenticationOptions(configure: configure),
            didRefresh: didRefresh,
            clock: { [clock] in clock.now }
        )
    }
}

/// An error of a refresh.
package struct RefreshFailure: Error, Equatable {
    package var number: Int

    package init(number: Int = 0) {
        self.number = number
    }
}
