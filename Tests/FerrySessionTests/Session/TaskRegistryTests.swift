import Testing

@testable import FerrySession

@Suite
struct TaskRegistryTests {
    private let task: CurlDataTask

    init() throws {
        let made = CurlSession(configuration: .ephemeral).dataTask(with: URL(fileURLWithPath: "/"))
        task = try #require(made as? CurlDataTask)
    }

    /// Returns a registry with the task.
    private func registry() -> TaskRegistry {
        var registry = TaskRegistry()
        #expect(registry.reserveIdentifier() == task.core.identifier)
        let isCancelled = registry.add(task)
        #expect(!isCancelled)
        return registry
    }

    @Test("A task is kept until it is complete, and the session becomes invalid once, after the last task")
    func life() {
        var registry = registry()
        #expect(registry.idle == [task] && registry.running == [])
        registry.run(task, identifier: 1)
        registry.run(task, identifier: 1)
        #expect(registry.idle.isEmpty && registry.running == [task])
        registry.invalidate()
        var results = [registry.claimInvalidity(), registry.remove(1) === task, registry.claimInvalidity()]
        results += [registry.claimInvalidity()]
        #expect(results == [false, true, true, false])
    }

    @Test("A task that was cancelled and completed while it was about to run is not kept") func overtaken() {
        var registry = registry()
        registry.run(task, identifier: 1)
        registry.invalidate()
        _ = registry.remove(1)
        registry.run(task, identifier: 1)
        let isInvalid = registry.claimInvalidity()
        #expect(isInvalid && registry.running == [])
    }

    @Test("A session is not invalid while a task is being made or was never resumed") func idle() {
        var registry = TaskRegistry()
        _ = registry.reserveIdentifier()
        registry.invalidate()
        var results = [registry.claimInvalidity()]
        results += [registry.add(task)]
        results += [registry.claimInvalidity(), registry.remove(1) === task.core, registry.claimInvalidity()]
        // The registry does not wait for later tasks.
        #expect(registry.reserveIdentifier() == 2)
        #expect(results == [false, false, false, true, true])
    }

    @Test("A task that was being made while all tasks were cancelled is cancelled too") func cancelled() {
        var registry = TaskRegistry()
        _ = registry.reserveIdentifier()
        registry.invalidate(cancelling: true)
        let isCancelled = registry.add(task)
        #expect(isCancelled)
    }

    @Test("A task that was released without having been resumed is not kept, but can still be run") func released() {
        var registry = registry()
        var released = [registry.releaseIdle(), registry.releaseIdle()]
        #expect(released == [[task], []])
        #expect(registry.idle == [task] && registry.running == [])
        registry.run(task, identifier: 1)
        released = [registry.releaseIdle()]
        #expect(released == [[]] && registry.idle == [] && registry.running == [task])
        let removed = registry.remove(1)
        #expect(removed === task)
    }
}
