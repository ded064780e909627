import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("The life of a connection", .pure)
struct SocketMachineTests {
    private static let violation = ProtocolViolation("wrong", code: .invalidFramePayloadData)

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var events: [SocketMachine.Event]
        var steps: [SocketMachine.Step]
        var state: SocketMachine.State
        var code: WebSocketTask.CloseCode?
    }

    static let rows: [Row] = [
        Row(testDescription: "opens", events: [.opened], steps: [], state: .open),
        Row(
            testDescription: "the program closes, and the server answers",
            events: [.opened, .close(.normalClosure, Data()), .receivedClose(.normalClosure, Data()), .disconnected],
            steps: [.sendClose(.normalClosure, Data()), .finishSending, .tellEnd, .finishSending, .tellEnd],
            state: .ended,
            code: .normalClosure
        ),
        Row(
            testDescription: "the server closes",
            events: [.opened, .receivedClose(.goingAway, Data("bye".utf8)), .disconnected],
            steps: [.sendClose(.goingAway, Data()), .finishSending, .tellEnd, .finishSending, .tellEnd],
            state: .ended,
            code: .goingAway
        ),
        Row(
            testDescription: "the server closes without a code",
            events: [.opened, .receivedClose(nil, Data())],
            steps: [.sendClose(nil, Data()), .finishSending, .tellEnd],
            state: .closing,
            code: .noStatusReceived
        ),
        Row(
            testDescription: "a violation",
            events: [.opened, .violation(violation), .closeTimeout],
            steps: [.sendClose(.invalidFramePayloadData, Data()), .finishSending, .tellEnd, .disconnect, .tellEnd],
            state: .ended,
            code: .invalidFramePayloadData
        ),
        Row(
            testDescription: "the connection is lost",
            events: [.opened, .disconnected],
            steps: [.finishSending, .tellEnd],
            state: .ended,
            code: .abnormalClosure
        ),
        Row(
            testDescription: "the server never answers the close frame",
            events: [.opened, .close(.normalClosure, Data()), .closeTimeout],
            steps: [.sendClose(.normalClosure, Data()), .disconnect, .tellEnd],
            state: .ended,
            code: .normalClosure
        ),
        Row(
            testDescription: "a ping is not answered",
            events: [.opened, .pingTimeout],
            steps: [.disconnect, .tellEnd],
            state: .ended,
            code: .abnormalClosure
        ),
        Row(
            testDescription: "the program closes during the handshake",
            events: [.close(.goingAway, Data()), .opened],
            steps: [.disconnect, .tellEnd],
            state: .ended,
            code: .goingAway
        ),
    ]

    @Test("Events lead to the expected steps", arguments: rows)
    func row(_ row: Row) {
        var machine = SocketMachine()
        #expect(row.events.flatMap { machine.handle($0) } == row.steps)
        #expect(machine.state == row.state)
        #expect(machine.closeCode == row.code)
    }

    @Test("In any order of events, at most one close frame is sent, and nothing after the end")
    func random() {
        let events: [SocketMachine.Event] = [
            .opened, .close(.normalClosure, Data()), .cancel, .receivedClose(.goingAway, Data()),
            .violation(Self.violation),
            .disconnected, .pingTimeout, .closeTimeout,
        ]
        var random = SeededGenerator(11)
        for _ in 0..<50_000 {
            var machine = SocketMachine()
            var closes = 0
            for _ in 0..<8 {
                let wasEnded = machine.state == .ended
                let code = machine.closeCode
                let steps = machine.handle(events.randomElement(using: &random) ?? .cancel)
                for case .sendClose in steps { closes += 1 }
                if wasEnded { #expect(steps.isEmpty && machine.state == .ended && machine.closeCode == code) }
                if machine.state == .ended { #expect(machine.closeCode != nil) }
            }
            #expect(closes <= 1)
        }
    }
}
