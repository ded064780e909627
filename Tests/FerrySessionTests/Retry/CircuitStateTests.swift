import TestSupport
import Testing

@testable import FerrySession

struct CircuitStateTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64((1_000 + seconds) * 1e9))
    }

    private static func rule(_ change: (inout CircuitBreaker.Rule) -> Void = { _ in }) -> CircuitBreaker.Rule {
        var rule = CircuitBreaker.Rule()
        change(&rule)
        return rule
    }

    /// Returns a circuit after requests in one second.
    private func circuit(failures: Int, of count: Int, _ rule: CircuitBreaker.Rule = rule()) -> CircuitState {
        var circuit = CircuitState(rule, at: Self.time(0))
        for index in 0..<count where circuit.admit(at: Self.time(0)) {
            circuit.note(index < count - failures ? .success : .failure, at: Self.time(Double(index) / Double(count)))
        }
        return circuit
    }

    @Test(
        "A circuit opens when a share of enough requests has failed",
        arguments: [
            (0, 10, CircuitBreaker.State.closed), (4, 10, .closed), (5, 10, .open), (9, 9, .closed), (10, 10, .open),
            (49, 100, .closed), (50, 100, .open),
        ]
    )
    func opens(_ failures: Int, _ count: Int, _ state: CircuitBreaker.State) {
        #expect(circuit(failures: failures, of: count).state(at: Self.time(1)) == state)
    }

    @Test("Failures outside of the window do not count")
    func window() {
        var circuit = circuit(failures: 9, of: 9)
        circuit.note(.failure, at: Self.time(11))
        #expect(circuit.state(at: Self.time(11)) == .closed)
        for _ in 0..<9 { circuit.note(.failure, at: Self.time(12)) }
        #expect(circuit.state(at: Self.time(12)) == .open)
    }

    @Test("Failures after a long pause count")
    func pause() {
        var circuit = circuit(failures: 1, of: 1)
        for count in 1...10 {
            #expect(circuit.state(at: Self.time(1_000)) == .closed, "\(count)")
            circuit.note(.failure, at: Self.time(1_000))
        }
        #expect(circuit.state(at: Self.time(1_000)) == .open)
    }

    @Test("Failures in the earlier half of the window count")
    func earlierHalf() {
        var circuit = circuit(failures: 5, of: 5)
        for count in 6...10 {
            #expect(circuit.state(at: Self.time(6)) == .closed, "\(count)")
            circuit.note(.failure, at: Self.time(6))
        }
        #expect(circuit.state(at: Self.time(6)) == .open)
    }

    @Test("Failures count within nine tenths of the window, however they are spread over it")
    func spread() {
        var circuit = circuit(failures: 1, of: 1)
        for _ in 0..<6 { circuit.note(.failure, at: Self.time(4)) }
        circuit.note(.failure, at: Self.time(6))
        #expect(circuit.state(at: Self.time(6)) == .closed)
        for _ in 0..<2 { circuit.note(.failure, at: Self.time(9)) }
        #expect(circuit.state(at: Self.time(9)) == .open)
    }

    @Test("Successes count within nine tenths of the window too")
    func successes() {
        var circuit = circuit(failures: 0, of: 11)
        for _ in 0..<10 { circuit.note(.failure, at: Self.time(9.5)) }
        #expect(circuit.state(at: Self.time(9.5)) == .closed)
    }

    @Test("Requests that say nothing about the server do not count")
    func unknown() {
        var circuit = CircuitState(Self.rule(), at: Self.time(0))
        for _ in 0..<100 { circuit.note(.unknown, at: Self.time(0)) }
        #expect(circuit.state(at: Self.time(0)) == .closed)
        #expect(circuit.isUnused(at: Self.time(11)))
    }

    @Test("A circuit with requests in its window, or one that is not closed, is remembered")
    func remembered() {
        let closed = circuit(failures: 1, of: 1)
        #expect(!closed.isUnused(at: Self.time(10)))
        #expect(closed.isUnused(at: Self.time(11)))
        #expect(!circuit(failures: 10, of: 10).isUnused(at: Self.time(100)))
    }

    @Test("A request counts once: by the status of its response, or else by its end")
    func once() {
        let rule = Self.rule { ($0.minimumRequests, $0.failureShare) = (2, 0.5) }
        let origin = Origin(scheme: "http", name: "a.example", port: nil)
        func states(status: Int?) -> [Bool] {
            let breaker = CircuitBreaker(rule)
            return (0..<2).map { _ in
                var use = CircuitUse(breaker)
                let isAdmitted = use.refusal(of: origin, url: nil, at: Self.time(0)) == nil
                if let status { use.noteStatus(status, at: Self.time(0)) }
                use.note(.failure, at: Self.time(0))
                return isAdmitted
            } + [breaker.admit(origin, at: Self.time(0)) != nil]
        }
        #expect(states(status: nil) == [true, true, false])
        #expect(states(status: 503) == [true, true, false])
        #expect(states(status: 200) == [true, true, true])
    }

    @Test("Each change of a circuit is reported, in order")
    func changes() async throws {
        let changes = Watched<[CircuitBreaker.State]>([])
        let breaker = CircuitBreaker(Self.rule { $0.minimumRequests = 1 }) { change in changes.append(change.state) }
        let origin = Origin(scheme: "http", name: "a.example", port: nil)
        func attempt(_ outcome: CircuitState.Outcome, at seconds: Double) {
            let now = Self.time(seconds)
            if let era = breaker.admit(origin, at: now) { breaker.note(outcome, of: origin, since: era, at: now) }
        }
        attempt(.failure, at: 0)
        attempt(.failure, at: 3)
        attempt(.failure, at: 6)
        attempt(.success, at: 17)
        let expected: [CircuitBreaker.State] = [.open, .halfOpen, .open, .halfOpen, .closed]
        try await eventually("the changes") { changes.current.count >= expected.count }
        #expect(changes.current == expected)
    }

    @Test("After its time an open circuit admits one trial, whose success closes it")
    func trial() {
        var circuit = circuit(failures: 10, of: 10)
        #expect([circuit.admit(at: Self.time(5))] == [false])
        #expect([circuit.admit(at: Self.time(6))] == [true])
        #expect([circuit.admit(at: Self.time(6))] == [false])
        #expect(circuit.state(at: Self.time(6)) == .halfOpen)
        circuit.note(.success, at: Self.time(7))
        #expect(circuit.state(at: Self.time(7)) == .closed)
        #expect([circuit.admit(at: Self.time(7))] == [true])
    }

    @Test("A trial that fails opens the circuit for twice as long, up to a limit")
    func doubles() {
        var circuit = circuit(failures: 10, of: 10, Self.rule { $0.maximumOpenTime = 15 })
        var now = 1.0
        for expected in [5.0, 10, 15, 15] {
            #expect([circuit.admit(at: Self.time(now + expected - 0.2))] == [false])
            now += expected + 0.1
            #expect([circuit.admit(at: Self.time(now))] == [true])
            circuit.note(.failure, at: Self.time(now))
        }
    }

    @Test("A trial that is cancelled is followed by another one")
    func cancelledTrial() {
        var circuit = circuit(failures: 10, of: 10)
        #expect([circuit.admit(at: Self.time(6))] == [true])
        circuit.note(.unknown, at: Self.time(7))
        #expect([circuit.admit(at: Self.time(7))] == [true])
    }

    @Test("A server that is down receives less than a hundredth of the requests")
    func load() {
        var circuit = CircuitState(Self.rule(), at: Self.time(0))
        let count = 100_000
        let sent = (0..<count).filter { index in
            let now = Self.time(Double(index) / 100)
            guard circuit.admit(at: now) else { return false }
            circuit.note(.failure, at: now)
            return true
        }
        #expect(sent.count < count / 100)
        #expect(sent.count > 10)
    }
}
