import Ferry
import FerryAssets
import Foundation
import Testing

/// Setters release the user's old closure or object, whose `deinit` may use the object that it was set on.
@Suite("Setters") struct SetterTests {
    /// Calls a closure when it is released.
    private final class Ending: EventMonitor, RequestInterceptor, ServerTrustPolicy {
        private let atEnd: @Sendable () -> Void

        init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

        deinit { atEnd() }

        func verification(for host: String) -> TrustVerification { .full }
        func decide(_ trust: ServerTrust) -> TrustDecision { .accept }
    }

    /// A notification center that calls a closure when it is released.
    private final class EndingCenter: NotificationCenter, @unchecked Sendable {
        private let ending = Watched<Ending?>(nil)

        static func calling(_ atEnd: @escaping @Sendable () -> Void) -> EndingCenter {
            let center = EndingCenter()
            center.ending.change { $0 = Ending(atEnd) }
            return center
        }
    }

    @Test("An object that uses the manager when it is released can be replaced") func released() {
        let manager = HTTPSessionManager(baseURL: nil, configuration: .ephemeral)
        let reachability = ReachabilityManager.shared
        let activity = ActivityMonitor()
        let ends = Watched(0)
        let use: @Sendable () -> Void = {
            _ = (manager.interceptors.count, manager.eventMonitors.count, manager.hooks, manager.requestSerializer)
            _ = (reachability.statusHandler, activity.visibilityHandler)
            ends.change { $0 += 1 }
        }
        manager.interceptors = [Ending(use)]
        manager.interceptors = []
        manager.eventMonitors = [Ending(use)]
        manager.eventMonitors = []
        reachability.statusHandler = { [ending = Ending(use)] _ in withExtendedLifetime(ending) {} }
        reachability.statusHandler = nil
        activity.visibilityHandler = { [ending = Ending(use)] _ in withExtendedLifetime(ending) {} }
        activity.visibilityHandler = nil
        #expect(ends.current == 4)
    }

    @Test("So can a notification center, a policy of a session, and settings that another manager's replace")
    func otherSetters() {
        let manager = HTTPSessionManager(baseURL: nil, configuration: .ephemeral)
        let session = CurlSession(configuration: .ephemeral)
        let ends = Watched(0)
        let use: @Sendable () -> Void = {
            _ = (manager.interceptors.count, manager.notificationCenter, session.trustPolicy)
            ends.change { $0 += 1 }
        }
        manager.notificationCenter = EndingCenter.calling(use)
        manager.notificationCenter = .default
        session.trustPolicy = Ending(use)
        session.trustPolicy = nil
        manager.interceptors = [Ending(use)]
        manager.takeSettings(of: HTTPSessionManager(baseURL: nil, configuration: .ephemeral))
        #expect(ends.current == 3)
    }
}
