import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Reachability from many threads")
struct ReachabilityRaceTests {
    @Test("Concurrent starts, stops, readers and reports leave the manager in the state last set")
    func everything() async throws {
        let source = ScriptedSource(first: .notReachable)
        let manager = ReachabilityManager(source: source)
        let told = Watched<[ReachabilityStatus]>([])
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    switch index % 5 {
                    case 0: manager.startMonitoring()
                    case 1: manager.stopMonitoring()
                    case 2: source.report(index % 2 == 0 ? .reachableViaWiFi : .notReachable)
                    case 3: manager.statusHandler = { status in told.change { $0.append(status) } }
                    default: for await _ in manager.updates { break }
                    }
                }
            }
            // The readers return only after a report.
            group.addTask {
                for index in 0..<50 {
                    source.report(index % 2 == 0 ? .reachableViaCellular : .notReachable)
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
        }
        manager.stopMonitoring()
        try await eventually { !source.isRunning }
        manager.startMonitoring()
        try await eventually { source.isRunning && manager.status == .notReachable }
        #expect(source.calls.starts == source.calls.stops + 1)
    }
}
