import Testing

@testable import FerrySession

@Suite
struct TaskRegistryTests {
    private let task = URLSessionDataTask()

    @Test("A task is kept while it runs, and the session is invalid after the last, once") func life() {
        var registry = TaskRegistry()
        let identifier = registry.makeIdentifier()
        registry.addIdle(task, identifier: identifier)
        var results = [registry.run(task, identifier: identifier), registry.run(task, identifier: identifier)]
        registry.invalidate()
        results += [registry.claimInvalidity(), registry.remove(identifier) === task, registry.claimInvalidity()]
        results += [registry.claimInvalidity()]
        #expect(results == [true, true, false, true, true, false])
    }

    @Test("A task that was cancelled and completed while it was about to run does not keep its session from its end")
    func overtaken() {
        var registry = TaskRegistry()
        let identifier = registry.makeIdentifier()
        registry.addIdle(task, identifier: identifier)
        // Whoever invalidates the session keeps the task until it is cancelled, and that is quicker than its resumption.
        let isKept = registry.run(task, identifier: identifier)
        registry.invalidate()
        _ = registry.remove(identifier)
        let isAdmitted = registry.run(task, identifier: identifier)
        let isInvalid = registry.claimInvalidity()
        #expect(isKept && isAdmitted && isInvalid)
        let isAdmittedAfterwards = registry.run(task, identifier: identifier)
        #expect(!isAdmittedAfterwards && registry.all.isEmpty)
    }

    @Test("A task that nobody has kept or resumed is none that is waited for") func idle() {
        var registry = TaskRegistry()
        registry.addIdle(task, identifier: registry.makeIdentifier())
        registry.invalidate()
        let isInvalid = registry.claimInvalidity()
        #expect(isInvalid && registry.all == [task])
    }
}
