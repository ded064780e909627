import Ferry
import Foundation
import Testing

/// Setters release the user's old closure or object, whose `deinit` may use the object that it was set on.
@Suite("Setters") struct SetterTests {
    /// Calls a closure when it is released.
    private final class Ending: EventMonitor, RequestAdapter {
        private let atEnd: @Sendable () -> Void

        init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

        deinit { atEnd() }

        func adapt(_ request: URLRequest) throws -> URLRequest { request }
    }

    @Test("An object that uses the manager when it is released can be replaced") func released() {
        let manager = HTTPSessionManager(baseURL: nil, configuration: .ephemeral)
        let reachability = ReachabilityManager.shared
        let activity = ActivityMonitor()
        let ends = Watched(0)
        let use: @Sendable () -> Void = {
            _ = (manager.adapters.count, manager.eventMonitors.count, manager.hooks, manager.requestSerializer)
            _ = (reachability.statusHandler, activity.visibilityHandler)
            ends.change { $0 += 1 }
        }
        manager.adapters = [Ending(use)]
        manager.adapters = []
        manager.eventMonitors = [Ending(use)]
        manager.eventMonitors = []
        reachability.statusHandler = { [ending = Ending(use)] _ in withExtendedLifetime(ending) {} }
        reachability.statusHandler = nil
        activity.visibilityHandler = { [ending = Ending(use)] _ in withExtendedLifetime(ending) {} }
        activity.visibilityHandler = nil
        #expect(ends.current == 4)
    }
}
