import FerrySession
import Testing

extension Trait where Self == ConditionTrait {
    /// A test that FoundationNetworking's own session fails, for which it runs only where it is asked for.
    ///
    /// Several of them end the process or never end, so each is to be run alone, with a limit on its time:
    /// `FERRY_FOUNDATION_NETWORKING=1 timeout 30 swift test --skip-build --filter 'GapTests/gap1System'`.
    ///
    /// - Parameter failure: What FoundationNetworking does instead.
    /// - Returns: The condition that it is asked for.
    static func foundationNetworking(_ failure: String) -> Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["FERRY_FOUNDATION_NETWORKING"] == "1",
            Comment(rawValue: "FoundationNetworking: \(failure)")
        )
    }
}
