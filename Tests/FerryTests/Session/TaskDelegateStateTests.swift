import TestSupport
import Testing

@testable import Ferry

/// In a separate process, which would end if all of the announced memory were reserved.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct TaskDelegateStateTests {
    @Test("Memory is reserved for a part of a body only if a server announces a very large one")
    func reservation() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let none = TransferProgress(nil, queue: nil)
                var state = TaskDelegateState(upload: none, download: none)
                state.start(length: .max, collects: true)
                try Child.expect(state.receive(Data("x".utf8), collects: true) == 1, "the number of bytes")
                try Child.expect(state.body == Data("x".utf8), "the body")
            }
        }
        Child.check(result?.standardOutputContent)
    }
}
