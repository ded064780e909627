import Foundation

/// The clock of an interceptor, which a test sets.
package final class ManualClock: Sendable {
    private let date = Watched(Date(timeIntervalSince1970: 1_700_000_000))

    package init() {}

    package var now: Date { date.current }
    package func advance(by seconds: TimeInterval) { date.change { $0 += seconds } }
}
