import Testing

@testable import Ferry

@Suite("Pausing")
struct PauseStateTests {
    @Test("One change runs at a time, and the last requested state wins")
    func serialized() {
        var state = PauseState()
        let idle = state.begin()
        state.wanted = true
        let first = state.begin()
        state.wanted = false
        let meanwhile = state.begin()
        state.end()
        let second = state.begin()
        state.end()
        let settled = state.begin()
        #expect(idle == nil)
        #expect(first == true)
        #expect(meanwhile == nil)
        #expect(second == false)
        #expect(settled == nil)
    }
}
