/// The progress of an upload whose parts may be sent at the same time.
///
/// A part may have several requests, one after the other, and a request several bodies. The Swift task that makes a
/// body may still run when there is a newer body, or when the run has ended: only the last body of a part counts.
final class UploadProgress: Sendable {
    /// A closure that takes the number of bytes of each piece of a body.
    typealias Counter = @Sendable (Int) -> Void

    private struct State: Sendable {
        /// The bytes of each part that have been sent, or that the server has.
        var sent: [Int: Int64] = [:]
        /// The number of the last request with each part, and that of its last body.
        var requests: [Int: Int] = [:]
        var bodies: [Int: Int] = [:]
        var lastNumber = 0
        var meter = ProgressMeter()

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func progress(of total: Int64) -> TransferProgress? {
            meter.progress(of: sent.values.reduce(0, +), total: total, always: false)
        }
    }

    private let report: (@Sendable (TransferProgress) -> Void)?
    private let state = Mutex(State())

    init(_ report: (@Sendable (TransferProgress) -> Void)?) { self.report = report }

    /// Notes how many bytes of a part the server has, and stops counting the part's last body.
    func confirm(_ part: Int, _ bytes: Int64) {
        state.withLock { ($0.sent[part], $0.requests[part], $0.bodies[part]) = (bytes, nil, nil) }
    }

    /// Forgets all parts, and stops counting bodies.
    func reset() { state.withLock { ($0.sent, $0.requests, $0.bodies) = ([:], [:], [:]) } }

    /// Begins a request with a part from an offset; returns a function that begins a body of it.
    func begin(_ part: Int, at offset: Int64, of total: Int64) -> @Sendable () -> Counter {
        let request = state.withLock { state in
            let number = state.nextNumber()
            (state.requests[part], state.bodies[part]) = (number, nil)
            return number
        }
        return { [self] in
            let body = state.withLock { state in
                let number = state.nextNumber()
                if state.requests[part] == request { (state.sent[part], state.bodies[part]) = (offset, number) }
                return number
            }
            return { [self] in count($0, of: body, part, total) }
        }
    }

    private func count(_ bytes: Int, of body: Int, _ part: Int, _ total: Int64) {
        let current = state.withLock { state -> TransferProgress? in
            guard state.bodies[part] == body else { return nil }
            state.sent[part, default: 0] += Int64(bytes)
            state.meter.add(bytes, at: .now())
            return state.progress(of: total)
        }
        if let report, let current { report(current) }
    }

    /// Reports that the server has the whole file.
    func finish(total: Int64) {
        reset()
        let last = state.withLock { $0.meter.progress(of: total, total: total, always: true) }
        if let report, let last { report(last) }
    }
}
