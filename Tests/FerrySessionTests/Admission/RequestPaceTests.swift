import Testing

@testable import FerryCurl
@testable import FerrySession

/// The pure rule for the time at which a request may be sent, with invented times.
struct RequestPaceTests {
    private func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + UInt64(seconds * 1_000_000_000))
    }

    /// Sends requests as soon as the pace allows, and returns when each was sent, in seconds.
    private func schedule(_ count: Int, _ pace: inout RequestPace) -> [Double] {
        var now = time(0)
        return (0..<count).map { _ in
            while let next = pace.nextTime(at: now) { now = max(next, now.advanced(by: TimeSpan(nanoseconds: 1))) }
            pace.noteRequest(at: now)
            return (now.since(time(0)).seconds * 1_000).rounded() / 1_000
        }
    }

    @Test("A burst is sent at once, and then as many requests as the rate allows")
    func burst() {
        var pace = RequestPace(.init(10, per: 1, burst: 3), at: time(0))
        #expect(schedule(6, &pace) == [0, 0, 0, 0.1, 0.2, 0.3])
    }

    @Test("The burst is the count by default, and comes back after a pause")
    func pause() {
        var pace = RequestPace(.init(2, per: 1), at: time(0))
        #expect(schedule(3, &pace) == [0, 0, 0.5])
        #expect(!pace.isUnused(at: time(1)))
        #expect(pace.isUnused(at: time(1.6)))
        #expect(pace.nextTime(at: time(100)) == nil)
        pace.noteRequest(at: time(100))
        #expect(pace.nextTime(at: time(100)) == nil)
        pace.noteRequest(at: time(100))
        #expect(pace.nextTime(at: time(100)) == time(100.5))
    }

    @Test("A million requests are sent in no less time than the rate allows")
    func rounding() {
        var pace = RequestPace(.init(3, per: 0.001, burst: 1), at: time(0))
        let last = schedule(30_000, &pace).last ?? 0
        #expect((9.99...10.1).contains(last))
    }

    @Test("The server's delay holds with and without a rate, and a shorter one does not end it")
    func hold() {
        for rate in [nil, RequestLimits.Rate(1, per: 1)] {
            var pace = RequestPace(rate, at: time(0))
            pace.hold(until: time(5))
            pace.hold(until: time(2))
            #expect(pace.nextTime(at: time(0)) == time(5))
            #expect(!pace.isUnused(at: time(4)))
            #expect(pace.nextTime(at: time(5)) == nil)
            #expect(pace.isUnused(at: time(5)))
        }
    }

    @Test(
        "Extreme rates neither trap nor stop the requests for ever",
        arguments: [
            RequestLimits.Rate(0, per: 1), .init(.min, per: 1, burst: .min), .init(.max, per: 1, burst: .max),
            .init(1, per: 0), .init(1, per: -1), .init(1, per: .nan), .init(1, per: .infinity),
            .init(1, per: .leastNonzeroMagnitude), .init(.max, per: .leastNonzeroMagnitude),
            .init(1, per: .greatestFiniteMagnitude),
        ]
    )
    func extremes(_ rate: RequestLimits.Rate) {
        var pace = RequestPace(rate, at: time(0))
        var now = time(0)
        for _ in 0..<3 {
            if let next = pace.nextTime(at: now) {
                #expect(next > now)
                now = next
            }
            pace.noteRequest(at: now)
        }
    }

    @Test(
        "All requests wait for 429 and 503 with a delay up to the maximum, and for nothing else",
        arguments: [
            (429, "Retry-After", "7", 7), (503, "Retry-After", "7", 7), (429, "RateLimit", "\"a\";r=0;t=9", 9),
            (429, "Retry-After", "60", 60), (429, "Retry-After", "61", nil), (429, "Retry-After", "0", nil),
            (429, "Retry-After", "-1", nil), (429, "Retry-After", "99999999999999999999", nil),
            (429, "X-Other", "7", nil), (500, "Retry-After", "7", nil), (200, "Retry-After", "7", nil),
            (301, "Retry-After", "7", nil),
        ] as [(Int, String, String, TimeInterval?)]
    )
    func serverDelays(_ status: Int, _ name: String, _ value: String, _ expected: TimeInterval?) {
        var limits = RequestLimits()
        #expect(limits.delay(status: status, now: Date()) { $0 == name ? value : nil } == expected)
        limits.honorsServerDelays = false
        #expect(limits.delay(status: status, now: Date()) { $0 == name ? value : nil } == nil)
    }

    @Test("Requests that take long to begin leave time for the rest of a turn")
    func longTurn() {
        final class Slow: AdmissionTicket, @unchecked Sendable {
            var hasBegun = false
            override func begin() {
                hasBegun = true
                usleep(5_000)
            }
        }
        let admission = Admission(connectionsPerOrigin: 4, limits: nil)
        let origin = Origin(scheme: "http", name: "a.invalid", port: nil)
        let (first, others) = ((0..<4).map { _ in Slow() }, (0..<4).map { _ in Slow() })
        for ticket in first + others { admission.admit(ticket, to: origin, isNamedByTask: true) }
        #expect(first.allSatisfy(\.hasBegun) && !others.contains(where: \.hasBegun))
        for ticket in first { admission.leave(ticket) }
        var turns = 0
        repeat {
            admission.admitWaiting()
            turns += 1
        } while admission.isBehind
        #expect(turns >= 4)
        #expect(others.filter(\.hasBegun).count == 4)
    }

    @Test("A request that returns to its queue comes before the others there, and replaces none of them")
    func returning() {
        let queue = SlotQueue(limit: 1)
        let tickets = (0..<4).map { _ in AdmissionTicket() }
        #expect(queue.enter())
        for ticket in tickets { queue.wait(ticket) }
        func next() -> Int? {
            queue.leave()
            return queue.next().flatMap { next in tickets.firstIndex { $0 === next } }
        }
        #expect([next(), next()] == [0, 1])
        queue.wait(tickets[1], isReturning: true)
        queue.wait(tickets[0], isReturning: true)
        #expect((0..<4).map { _ in next() } == [0, 1, 2, 3])
        #expect(next() == nil)
        queue.wait(tickets[3])
        queue.wait(tickets[2], isReturning: true)
        #expect((0..<2).map { _ in next() } == [2, 3])
    }

    @Test("A queue is released although requests have left it, and they may leave it later") func released() {
        let tickets = (0..<2).map { _ in AdmissionTicket() }
        var queue: SlotQueue? = SlotQueue(limit: 1)
        weak let gone = queue
        for ticket in tickets { queue?.wait(ticket) }
        tickets[0].place?.leave()
        queue = nil
        #expect(gone == nil)
        tickets[1].place?.leave()
    }

    @Test("A server that names very many hosts does not make the session remember them all")
    func manyOrigins() {
        let admission = Admission(connectionsPerOrigin: 6, limits: RequestLimits(rate: .init(1, per: 1)))
        for index in 0..<5_000 {
            let origin = Origin(scheme: "http", name: "h\(index).invalid", port: nil)
            admission.hold(origin, seconds: 10)
            admission.noteRefusal(by: origin, status: 503, seconds: 10)
        }
        #expect(admission.origins.count <= 1_024)
    }
}
