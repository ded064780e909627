import FerrySession
import Testing

extension Trait where Self == ConditionTrait {
    /// Returns the condition for a test that FoundationNetworking's own session fails, and that therefore runs only on
    /// request.
    ///
    /// Several of them end the process or never end, so run each one alone, with a time limit:
    /// `FERRY_FOUNDATION_NETWORKING=1 timeout 30 swift test --skip-build --filter 'GapTests/gap1System'`.
    ///
    /// - Parameter failure: The behavior of FoundationNetworking.
    /// - Returns: The condition that the test was requested.
    static func foundationNetworking(_ failure: String) -> Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["FERRY_FOUNDATION_NETWORKING"] == "1",
            Comment(rawValue: "FoundationNetworking: \(failure)")
        )
    }
}
