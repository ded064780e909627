import FerryTesting
import Foundation
import Testing

@testable import FerryAssets

@Suite("Activity")
struct ActivityMonitorTests {
    /// A clock whose delays elapse only when the test calls `pass()`.
    final class ManualClock: Sendable {
        typealias Wait = (delay: Double, body: @Sendable () -> Void)
        let waits = Mutex<[Wait]>([])
        let queue = DispatchQueue(label: "activity")

        var scheduler: ActivityMonitor.Scheduler {
            { [self] delay, body in waits.withLock { $0.append((delay, body)) } }
        }

        var delays: [Double] { waits.withLock { $0.map(\.delay) } }

        /// Waits until the monitor has processed all changes so far; it merges changes in quick succession.
        func settled() async {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }

        func pass() {
            let due = waits.withLock { waits -> [Wait] in
                defer { waits = [] }
                return waits
            }
            for wait in due { wait.body() }
        }
    }

    /// A monitor with a manual clock, and the values passed to its visibility handler.
    private func monitor(
        center: NotificationCenter = NotificationCenter()
    ) -> (monitor: ActivityMonitor, clock: ManualClock, told: Watched<[Bool]>) {
        let clock = ManualClock()
        let monitor = ActivityMonitor(notificationCenter: center, queue: clock.queue, scheduler: clock.scheduler)
        let told = Watched<[Bool]>([])
        monitor.visibilityHandler = { isVisible in told.change { $0.append(isVisible) } }
        monitor.isEnabled = true
        return (monitor, clock, told)
    }

    @Test(
        "Every state handles every event",
        arguments: [
            (.notActive, [.delayingStart, .notActive, .notActive, .notActive, .notActive]),
            (.delayingStart, [.delayingStart, .delayingStart, .active, .notActive, .notActive]),
            (.active, [.active, .delayingEnd, .active, .active, .notActive]),
            (.delayingEnd, [.active, .delayingEnd, .notActive, .notActive, .notActive]),
        ] as [(ActivityState, [ActivityState])]
    )
    func table(state: ActivityState, expected: [ActivityState]) {
        let events: [ActivityState.Event] = [
            .becameBusy, .becameIdle, .delayPassed(isBusy: true), .delayPassed(isBusy: false), .disabled,
        ]
        #expect(events.map(state.after) == expected)
    }

    @Test("Activity that ends before the delay is never shown")
    func short() async throws {
        let (monitor, clock, told) = monitor()
        monitor.incrementActivityCount()
        try await eventually { clock.delays == [1] }
        monitor.decrementActivityCount()
        await clock.settled()
        monitor.incrementActivityCount()
        await clock.settled()
        monitor.decrementActivityCount()
        await clock.settled()
        #expect(clock.delays == [1])
        clock.pass()
        await clock.settled()
        #expect(!monitor.isVisible)
        monitor.incrementActivityCount()
        try await eventually { clock.delays == [1] }
        #expect(told.current.isEmpty)
    }

    @Test("A series of short requests is shown after one delay")
    func series() async throws {
        let (monitor, clock, told) = monitor()
        for _ in 0..<4 {
            monitor.incrementActivityCount()
            await clock.settled()
            monitor.decrementActivityCount()
            await clock.settled()
        }
        monitor.incrementActivityCount()
        #expect(clock.delays == [1])
        clock.pass()
        try await told.wait { $0 == [true] }
    }

    @Test("The indicator shows once after the delay, stays during short pauses, and hides once")
    func shown() async throws {
        let (monitor, clock, told) = monitor()
        monitor.incrementActivityCount()
        monitor.incrementActivityCount()
        try await eventually { clock.delays == [1] }
        clock.pass()
        try await told.wait { $0 == [true] }
        monitor.decrementActivityCount()
        monitor.decrementActivityCount()
        try await eventually { clock.delays == [0.17] }
        monitor.incrementActivityCount()
        await clock.settled()
        clock.pass()
        await clock.settled()
        monitor.decrementActivityCount()
        await clock.settled()
        #expect(clock.delays == [0.17])
        #expect(monitor.isVisible)
        clock.pass()
        try await told.wait { $0 == [true, false] }
        #expect(clock.delays.isEmpty)
    }

    @Test("Disabling hides immediately, enabling shows running activity, and the count is never negative")
    func enabling() async throws {
        let (monitor, clock, told) = monitor()
        monitor.activationDelay = 0.5
        monitor.decrementActivityCount()
        monitor.incrementActivityCount()
        #expect(monitor.activityCount == 1)
        try await eventually { clock.delays == [0.5] }
        clock.pass()
        try await told.wait { $0 == [true] }
        monitor.isEnabled = false
        try await told.wait { $0 == [true, false] }
        monitor.isEnabled = true
        try await eventually { clock.delays == [0.5] }
        clock.pass()
        try await told.wait { $0 == [true, false, true] }
    }

    @Test("Without delays even the shortest activity is shown and hidden again")
    func instant() async throws {
        let (monitor, clock, told) = monitor()
        (monitor.activationDelay, monitor.completionDelay) = (0, 0)
        // The queue processes beginning and end together.
        clock.queue.suspend()
        for _ in 0..<3 {
            monitor.incrementActivityCount()
            monitor.decrementActivityCount()
        }
        clock.queue.resume()
        await clock.settled()
        try await told.wait { $0.count == 6 }
        #expect(told.current == [true, false, true, false, true, false])
        #expect(clock.delays.isEmpty)
    }

    @Test("A stalled queue keeps a limited number of changes, and ends with the latest")
    func stalled() async throws {
        let (monitor, clock, told) = monitor()
        (monitor.activationDelay, monitor.completionDelay) = (0, 0)
        clock.queue.suspend()
        for _ in 0..<5_000 {
            monitor.incrementActivityCount()
            monitor.decrementActivityCount()
        }
        monitor.incrementActivityCount()
        clock.queue.resume()
        try await eventually { monitor.isVisible && told.current.last == true }
        #expect(told.current.count <= 1000)
        for (index, isVisible) in told.current.enumerated() { #expect(isVisible == (index % 2 == 0)) }
    }

    @Test("Without delays each short request of a manager is shown")
    func shortRequests() async throws {
        let center = NotificationCenter()
        let (monitor, _, told) = monitor(center: center)
        (monitor.activationDelay, monitor.completionDelay) = (0, 0)
        let server = try LoopbackServer { _ in .json("1") }
        let manager = SessionManager(configuration: .ephemeral)
        manager.notificationCenter = center
        manager.notificationQueue = DispatchQueue(label: "notifications")
        for index in 1...5 {
            _ = await manager.response(for: URLRequest(url: server.url), serializer: .json)
            try await told.wait { $0.count == index * 2 }
        }
        #expect(told.current == (0..<10).map { $0 % 2 == 0 })
    }

    @Test("The tasks of managers count while they run")
    func tasks() async throws {
        let center = NotificationCenter()
        let (monitor, clock, told) = monitor(center: center)
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .json("1")
        }
        let manager = SessionManager(configuration: .ephemeral)
        manager.notificationCenter = center
        manager.notificationQueue = DispatchQueue(label: "notifications")
        let tasks = (0..<3).map { index in
            manager.dataTask(with: URLRequest(url: server.url.appendingPathComponent("\(index)"))) { _ in }
        }
        for task in tasks { task.resume() }
        try await eventually { monitor.activityCount == 3 }
        try await eventually { clock.delays == [1] }
        clock.pass()
        try await told.wait { $0 == [true] }
        tasks[0].suspend()
        try await eventually { monitor.activityCount == 2 }
        tasks[0].resume()
        try await eventually { monitor.activityCount == 3 }
        tasks[1].cancel()
        gate.open()
        try await eventually { monitor.activityCount == 0 }
        try await eventually { clock.delays == [0.17] }
        clock.pass()
        try await told.wait { $0 == [true, false] }
    }

    @Test("A task whose end was not posted counts no more once it has ended or is released", arguments: [true, false])
    func droppedEnd(_ isReleased: Bool) async throws {
        let center = NotificationCenter()
        let (monitor, _, told) = monitor(center: center)
        (monitor.activationDelay, monitor.completionDelay) = (0, 0)
        let server = try LoopbackServer { _ in .json("1") }
        let session = CurlSession(configuration: .ephemeral)
        let busy = session.dataTask(with: server.url("/busy"))
        do {
            // A session keeps the tasks that were never resumed until it is released.
            let other = CurlSession(configuration: .ephemeral)
            let task = other.dataTask(with: server.url("/lost"))
            center.post(name: .networkingTaskDidResume, object: task)
            #expect(monitor.activityCount == 1)
            try await told.wait { $0 == [true] }
            if !isReleased {
                task.resume()
                try await eventually { task.state == .completed }
            }
        }
        // The next notification of another task removes it too.
        try await eventually {
            center.post(name: .networkingTaskDidSuspend, object: busy)
            return told.current == [true, false]
        }
        #expect(monitor.activityCount == 0)
    }

    @Test("A task without a URL does not count")
    func noURL() throws {
        let center = NotificationCenter()
        let (monitor, _, _) = monitor(center: center)
        let session = CurlSession(configuration: .ephemeral)
        var request = URLRequest(url: try #require(URL(string: "http://a")))
        center.post(name: .networkingTaskDidResume, object: session.dataTask(with: request))
        request.url = nil
        center.post(name: .networkingTaskDidResume, object: session.dataTask(with: request))
        #expect(monitor.activityCount == 1)
    }

    @Test("With the real clock the indicator shows and hides")
    func realClock() async throws {
        let monitor = ActivityMonitor(notificationCenter: NotificationCenter())
        monitor.activationDelay = 0.01
        monitor.completionDelay = 0.01
        let told = Watched<[Bool]>([])
        monitor.visibilityHandler = { isVisible in told.change { $0.append(isVisible) } }
        monitor.isEnabled = true
        monitor.incrementActivityCount()
        try await told.wait { $0 == [true] }
        monitor.decrementActivityCount()
        try await told.wait { $0 == [true, false] }
    }
}
