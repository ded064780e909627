import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite struct TransferClockTests {
    private func at(_ milliseconds: UInt64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    private func clock(inactivity: UInt64? = nil, resource: UInt64? = nil, connect: UInt64? = nil) -> TransferClock {
        TransferClock(
            limits: .init(
                inactivity: inactivity.map { .milliseconds($0) } ?? .infinite,
                resource: resource.map { .milliseconds($0) } ?? .infinite,
                connect: connect.map { .milliseconds($0) } ?? .infinite
            )
        )
    }

    @Test("A clock that was not started has no deadline") func idle() {
        #expect(clock(inactivity: 100, resource: 100, connect: 100).next() == nil)
    }

    @Test("Activity extends the inactivity deadline, nothing extends the resource deadline") func activity() {
        var clock = clock(inactivity: 100, resource: 250)
        clock.start(at: at(0))
        #expect(clock.next()?.time == at(100))
        #expect(clock.next()?.deadline == .inactivity)
        clock.noteActivity(at: at(90))
        #expect(clock.next()?.time == at(190))
        clock.noteActivity(at: at(180))
        #expect(clock.next()?.time == at(250))
        #expect(clock.next()?.deadline == .resource)
    }

    @Test("A stopped clock has no deadline, and the time while it is stopped does not count") func stops() {
        var clock = clock(inactivity: 100, resource: 250)
        clock.start(at: at(0))
        clock.stop(at: at(200))
        #expect(clock.next() == nil)
        clock.start(at: at(10_000))
        #expect(clock.next()?.time == at(10_050))
        #expect(clock.next()?.deadline == .resource)
    }

    @Test("The deadline of an upgrade stops while the call is suspended, and ends with the upgrade") func upgrade() {
        var clock = TransferClock(limits: .init(inactivity: .milliseconds(100), upgrade: .milliseconds(100)))
        #expect(clock.limits.hasCall)
        clock.startCall(at: at(0))
        clock.start(at: at(10))
        #expect(clock.next()?.time == at(100))
        #expect(clock.next()?.deadline == .upgrade)
        #expect(clock.timeLeft(at: at(40)) == 0.06)
        clock.stop(at: at(40))
        clock.stopCall(at: at(40))
        #expect(clock.next() == nil)
        clock.startCall(at: at(1_000))
        #expect(clock.next()?.time == at(1_060))
        clock.noteUpgrade()
        #expect(clock.next() == nil)
        #expect(clock.timeLeft(at: at(2_000)) == nil)
        clock.start(at: at(2_000))
        #expect(clock.next()?.deadline == .inactivity)
    }

    @Test("Looking at all deadlines takes at most a fifth of the time, and delays none by more than 50 ms")
    func looks() {
        var deadlines = TransferDeadlines()
        deadlines.watch(at(100))
        #expect(deadlines.takeDue(at: at(100)) && deadlines.next == nil)
        deadlines.watch(at(101))
        deadlines.noteCheck(from: at(100), to: at(102))
        #expect(deadlines.next == at(110))
        deadlines.watch(at(103))
        #expect(deadlines.next == at(110))
        deadlines.watch(at(105))
        deadlines.noteCheck(from: at(110), to: at(1_110))
        #expect(deadlines.next == at(1_160))
    }

    @Test("Starting or stopping twice has no effect") func twice() {
        var clock = clock(resource: 250)
        clock.start(at: at(0))
        clock.start(at: at(100))
        #expect(clock.next()?.time == at(250))
        clock.stop(at: at(200))
        clock.stop(at: at(240))
        clock.start(at: at(1000))
        #expect(clock.next()?.time == at(1050))
    }

    @Test("The time of the whole call is counted from the first start") func callTwice() {
        var clock = TransferClock(limits: .init(call: .milliseconds(250)))
        clock.startCall(at: at(0))
        clock.startCall(at: at(100))
        #expect(clock.next()?.time == at(250))
        #expect(!clock.isCallOver(at: at(249)))
        #expect(clock.isCallOver(at: at(250)))
    }

    @Test("Waiting for the application does not count as inactivity") func paused() {
        var clock = clock(inactivity: 100)
        clock.start(at: at(0))
        clock.pauseInactivity(false, at: at(40))
        #expect(clock.next()?.time == at(100))
        clock.pauseInactivity(true, at: at(50))
        #expect(clock.next() == nil)
        clock.pauseInactivity(false, at: at(5000))
        #expect(clock.next()?.time == at(5100))
    }

    @Test("The connect deadline covers all addresses, and ends with the connection") func connecting() {
        var clock = clock(resource: 1000, connect: 100)
        clock.start(at: at(0))
        clock.beginConnecting(at: at(10))
        clock.beginConnecting(at: at(60))
        #expect(clock.next()?.time == at(110))
        #expect(clock.next()?.deadline == .connect)
        clock.endConnecting(at: at(100))
        #expect(clock.next()?.deadline == .resource)
        #expect(clock.next()?.time == at(1000))
    }

    @Test("libcurl's limit for connecting ends after the deadlines, and half of it before") func connectLimit() {
        var clock = clock(inactivity: 8_000, resource: 60_000, connect: 16_000)
        #expect(clock.connectLimit(at: at(0)) == .milliseconds(10_000))
        clock.start(at: at(0))
        #expect(clock.connectLimit(at: at(56_000)) == .milliseconds(5_500))
        #expect(self.clock(connect: 2_000).connectLimit(at: at(0)) == .milliseconds(3_250))
        #expect(self.clock().connectLimit(at: at(0)) == .infinite)
    }

    @Test("The time spent connecting is kept across a stop") func connectingStops() {
        var clock = clock(connect: 100)
        clock.start(at: at(0))
        clock.beginConnecting(at: at(0))
        clock.stop(at: at(70))
        clock.start(at: at(500))
        #expect(clock.next()?.time == at(530))
    }

    @Test("No limit and extremely large limits never trap") func extremes() {
        let longest = TimeSpan(nanoseconds: .max - 1)
        var clock = TransferClock(limits: .init(inactivity: longest, resource: longest, connect: longest))
        clock.start(at: at(0))
        clock.beginConnecting(at: at(1))
        clock.noteActivity(at: MonotonicTime(nanoseconds: .max))
        #expect(clock.next()?.time == MonotonicTime(nanoseconds: .max))
        clock.stop(at: MonotonicTime(nanoseconds: 0))
        var unlimited = TransferClock(limits: .init())
        unlimited.start(at: at(0))
        #expect(unlimited.next() == nil)
    }
}
