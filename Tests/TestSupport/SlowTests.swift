import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// A condition for tests that take many seconds: soak, memory, large bodies, and measurements of time.
    ///
    /// They run with `FERRY_SLOW_TESTS=1`, which the scripts of `.ci` set.
    package static var slow: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["FERRY_SLOW_TESTS"] == "1",
            "Slow tests run with FERRY_SLOW_TESTS=1"
        )
    }
}
