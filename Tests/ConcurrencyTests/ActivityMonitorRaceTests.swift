import FerryTesting
import Foundation
import Testing

@testable import FerryAssets

@Suite("Activity from many threads")
struct ActivityMonitorRaceTests {
    @Test("Changes alternate, and the last one matches the running activity")
    func storm() async throws {
        let monitor = ActivityMonitor(notificationCenter: NotificationCenter())
        (monitor.activationDelay, monitor.completionDelay) = (0, 0)
        let told = Watched<[Bool]>([])
        monitor.visibilityHandler = { isVisible in told.change { $0.append(isVisible) } }
        monitor.isEnabled = true
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    monitor.incrementActivityCount()
                    if index % 20 == 0 { monitor.isEnabled = index % 40 == 0 }
                    await Task.yield()
                    monitor.decrementActivityCount()
                }
            }
        }
        monitor.isEnabled = true
        #expect(monitor.activityCount == 0)
        try await eventually { !monitor.isVisible }
        monitor.incrementActivityCount()
        try await eventually { monitor.isVisible }
        try await told.wait { $0.last == true }
        for (index, isVisible) in told.current.enumerated() { #expect(isVisible == (index % 2 == 0)) }
    }
}
