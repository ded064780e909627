import Testing

@testable import FerryCurl

struct SystemThreadTests {
    @Test("A thread runs its closure under its name") func runs() async {
        let name = await withCheckedContinuation { continuation in
            SystemThread.run("a name", stackSize: 65_536) {
                continuation.resume(returning: currentThreadName)
            }
        }
        #expect(name == "a name")
    }

    @Test("A thread that the system has no room for is not started") func noRoom() {
        #expect(!SystemThread.start("large", stackSize: 1 << 50) {})
    }
}
