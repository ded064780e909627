import Foundation
import Testing

@testable import FerryOperations

extension OperationMachine {
    /// An event in the life of an operation.
    enum Event: Sendable, Hashable, CaseIterable {
        case start, pause, resume, cancel, transferEnd, finish
    }

    /// Handles an event, and returns the action that follows.
    mutating func take(_ event: Event) -> Effect {
        switch event {
        case .start: start()
        case .pause: pause()
        case .resume: resume()
        case .cancel: cancel()
        case .transferEnd: endTransfer()
        case .finish: finish()
        }
    }
}

/// AFNetworking 2's table of transitions, and the effect of each event in each state.
@Suite("The states of an operation") struct OperationStateTests {
    typealias State = RequestOperation.State
    typealias Event = OperationMachine.Event
    typealias Effect = OperationMachine.Effect

    struct Row: Sendable, CustomTestStringConvertible {
        let from: State
        let to: State
        let always: Bool
        let ifCancelled: Bool

        var testDescription: String { "\(from) to \(to)" }

        init(_ from: State, _ to: State, _ always: Bool, ifCancelled: Bool? = nil) {
            (self.from, self.to, self.always) = (from, to, always)
            self.ifCancelled = ifCancelled ?? always
        }

        static let all = [
            Row(.ready, .paused, true), Row(.ready, .ready, false), Row(.ready, .executing, true),
            Row(.ready, .finished, false, ifCancelled: true),
            Row(.executing, .paused, true), Row(.executing, .ready, false), Row(.executing, .executing, false),
            Row(.executing, .finished, true),
            Row(.paused, .paused, false), Row(.paused, .ready, true), Row(.paused, .executing, false),
            Row(.paused, .finished, false),
            Row(.finished, .paused, false), Row(.finished, .ready, false), Row(.finished, .executing, false),
            Row(.finished, .finished, false),
        ]
    }

    @Test("Every row of the table matches AFNetworking", arguments: Row.all)
    func row(_ row: Row) {
        #expect(row.from.canBecome(row.to, isCancelled: false) == row.always)
        #expect(row.from.canBecome(row.to, isCancelled: true) == row.ifCancelled)
    }

    @Test("The table has a row for every pair of states")
    func isWhole() {
        #expect(Set(Row.all.map { [$0.from, $0.to] }).count == State.allCases.count * State.allCases.count)
        #expect(State.allCases.map(\.rawValue) == [-1, 1, 2, 3])
    }

    /// The situations an operation can be in, each with a way to reach it.
    enum Situation: String, CaseIterable, Sendable {
        case ready, readyCancelled, executing, executingEnding, paused, pausedStarted, finished, finishedArchived

        var machine: OperationMachine {
            var machine = OperationMachine(state: self == .finishedArchived ? .finished : .ready)
            let events: [Event] =
                switch self {
                case .ready, .finishedArchived: []
                case .readyCancelled: [.cancel]
                case .executing: [.start]
                case .executingEnding: [.start, .transferEnd]
                case .paused: [.pause]
                case .pausedStarted: [.start, .pause]
                case .finished: [.start, .transferEnd, .finish]
                }
            for event in events { _ = machine.take(event) }
            _ = machine.takeChanges()
            return machine
        }
    }

    struct Step: Sendable, CustomTestStringConvertible {
        let situation: Situation
        let event: Event
        let state: State
        let effect: Effect

        var testDescription: String { "\(event) when \(situation)" }

        init(_ situation: Situation, _ event: Event, _ state: State, _ effect: Effect = .nothing) {
            (self.situation, self.event, self.state, self.effect) = (situation, event, state, effect)
        }

        static let all = [
            Step(.ready, .start, .executing, .begin), Step(.ready, .pause, .paused), Step(.ready, .resume, .ready),
            Step(.ready, .cancel, .ready), Step(.ready, .transferEnd, .ready), Step(.ready, .finish, .ready),
            Step(.readyCancelled, .start, .ready, .concludeCancelled), Step(.readyCancelled, .pause, .ready),
            Step(.readyCancelled, .resume, .ready), Step(.readyCancelled, .cancel, .ready),
            Step(.readyCancelled, .transferEnd, .ready), Step(.readyCancelled, .finish, .ready),
            Step(.executing, .start, .executing), Step(.executing, .pause, .paused, .interrupt),
            Step(.executing, .resume, .executing), Step(.executing, .cancel, .executing, .concludeCancelled),
            Step(.executing, .transferEnd, .executing, .conclude), Step(.executing, .finish, .executing),
            Step(.executingEnding, .start, .executing), Step(.executingEnding, .pause, .executing),
            Step(.executingEnding, .resume, .executing), Step(.executingEnding, .cancel, .executing),
            Step(.executingEnding, .transferEnd, .executing), Step(.executingEnding, .finish, .finished, .deliver),
            Step(.paused, .start, .paused), Step(.paused, .pause, .paused), Step(.paused, .resume, .ready),
            Step(.paused, .cancel, .ready), Step(.paused, .transferEnd, .paused), Step(.paused, .finish, .paused),
            Step(.pausedStarted, .start, .paused), Step(.pausedStarted, .pause, .paused),
            Step(.pausedStarted, .resume, .executing, .begin),
            Step(.pausedStarted, .cancel, .ready, .concludeCancelled),
            Step(.pausedStarted, .transferEnd, .paused), Step(.pausedStarted, .finish, .paused),
            Step(.finished, .start, .finished), Step(.finished, .pause, .finished),
            Step(.finished, .resume, .finished), Step(.finished, .cancel, .finished),
            Step(.finished, .transferEnd, .finished), Step(.finished, .finish, .finished),
            Step(.finishedArchived, .start, .finished, .deliver), Step(.finishedArchived, .pause, .finished),
            Step(.finishedArchived, .resume, .finished), Step(.finishedArchived, .cancel, .finished),
            Step(.finishedArchived, .transferEnd, .finished), Step(.finishedArchived, .finish, .finished),
        ]
    }

    @Test("Every event in every situation has its effect", arguments: Step.all)
    func step(_ step: Step) {
        var machine = step.situation.machine
        let effect = machine.take(step.event)
        #expect(effect == step.effect)
        #expect(machine.state == step.state)
    }

    @Test("The steps cover every situation and event")
    func stepsAreWhole() {
        #expect(Step.all.count == Situation.allCases.count * Event.allCases.count)
        #expect(Set(Step.all.map { "\($0.situation)-\($0.event)" }).count == Step.all.count)
    }

    @Test("Ten thousand random sequences of events report legal transitions only, and finish at most once")
    func randomWays() {
        var generator = SeededGenerator(1)
        for _ in 0..<10_000 {
            var machine = OperationMachine()
            var told: [OperationMachine.Change] = []
            var deliveries = 0
            for _ in 0..<12 {
                let event = Event.allCases.randomElement(using: &generator) ?? .start
                let wasCancelled = machine.isCancelled
                if machine.take(event) == .deliver { deliveries += 1 }
                let changes = machine.takeChanges()
                told += changes
                for change in changes {
                    #expect(change.old.canBecome(change.new, isCancelled: wasCancelled || machine.isCancelled))
                }
            }
            for (one, next) in zip(told, told.dropFirst()) { #expect(one.new == next.old) }
            #expect(deliveries <= 1)
            #expect((machine.state == .finished) == (deliveries == 1))
        }
    }

    @Test("An operation paused and cancelled after its start becomes ready, then finished")
    func cancelWhilePaused() {
        var machine = Situation.pausedStarted.machine
        #expect(machine.take(.cancel) == .concludeCancelled)
        #expect(machine.take(.finish) == .deliver)
        #expect(machine.takeChanges().map(\.new) == [.ready, .finished])
    }
}
