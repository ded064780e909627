import Foundation
import Testing

@testable import Ferry

@Suite("The task delegate registry")
struct TaskDelegateRegistryTests {
    private struct Failure: Error {}

    private func delegate() -> TaskDelegate {
        TaskDelegate { _ in }
    }

    private func task() throws -> URLSessionTask {
        URLSession.refusals.dataTask(with: try #require(URL(string: "http://127.0.0.1:9/")))
    }

    @Test("A delegate is found until it is removed, and is removed once")
    func removes() throws {
        var registry = TaskDelegateRegistry()
        let (task, delegate) = (try task(), delegate())
        let key = TaskKey(generation: 1, identifier: task.taskIdentifier)
        registry.willRegister()
        #expect(registry.register(task, delegate: delegate, at: key) == nil)
        #expect(registry[key] === delegate)
        #expect(registry.delegate(of: task, generations: [2, 1]) === delegate)
        #expect(registry.delegate(of: task, generations: [2]) == nil)
        #expect(registry.remove(key, error: nil)?.delegate === delegate)
        #expect(registry.remove(key, error: nil) == nil)
        #expect(registry.tasks().isEmpty)
    }

    @Test("The end of a task that is not yet registered is not lost")
    func earlyEnd() throws {
        var registry = TaskDelegateRegistry()
        let task = try task()
        let key = TaskKey(generation: 1, identifier: task.taskIdentifier)
        registry.willRegister()
        #expect(registry.remove(key, error: Failure()) == nil)
        let end = registry.register(task, delegate: delegate(), at: key)
        #expect(end?.error is Failure)
        #expect(registry[key] == nil)
    }

    @Test("A task that has a delegate keeps it, and one that has ended gets none")
    func knownTasks() throws {
        var registry = TaskDelegateRegistry()
        let (task, first) = (try task(), delegate())
        let key = TaskKey(generation: 1, identifier: task.taskIdentifier)
        for delegate in [first, delegate()] {
            registry.willRegister()
            let isNew = registry.registerIfUnknown(task, delegate: delegate, at: key)
            #expect(isNew == (delegate === first))
            #expect(registry[key] === first)
        }
        registry.willRegister()
        #expect(registry.remove(key, error: nil)?.delegate === first)
        registry.cancelRegistration()
        #expect(registry.remove(key, error: Failure()) == nil)
        registry.willRegister()
        #expect(registry.remove(key, error: Failure()) == nil)
        let isNew = registry.registerIfUnknown(task, delegate: delegate(), at: key)
        #expect(!isNew && registry[key] == nil)
        // The ends are forgotten once nothing is being registered.
        registry.willRegister()
        #expect(registry.register(task, delegate: first, at: key) == nil)
    }

    @Test("A delegate moves to the task that replaces its task")
    func moves() throws {
        var registry = TaskDelegateRegistry()
        let (old, new, delegate) = (try task(), try task(), delegate())
        let (oldKey, newKey) = (TaskKey(generation: 1, identifier: 1), TaskKey(generation: 1, identifier: 2))
        registry.willRegister()
        _ = registry.register(old, delegate: delegate, at: oldKey)
        #expect(registry.move(from: oldKey, to: new, at: newKey)?.delegate === delegate)
        #expect(registry[oldKey] == nil)
        #expect(registry[newKey] === delegate)
        #expect(registry.tasks() == [new])
    }

    @Test("Removing the delegates of one session keeps those of another")
    func removesGeneration() throws {
        var registry = TaskDelegateRegistry()
        let (first, second) = (try task(), try task())
        for (generation, task) in [(1, first), (2, second)] {
            registry.willRegister()
            _ = registry.register(task, delegate: delegate(), at: TaskKey(generation: generation, identifier: 1))
        }
        #expect(registry.removeAll(generation: 1).map(\.task) == [first])
        #expect(registry.tasks() == [second])
    }
}
