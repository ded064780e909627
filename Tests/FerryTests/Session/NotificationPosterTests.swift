import Foundation
import Testing

@testable import Ferry

@Suite("Posting notifications")
struct NotificationPosterTests {
    /// Makes a poster with its own center and a suspended queue.
    private func makeStopped() -> (NotificationPoster, NotificationCenter, DispatchQueue) {
        let (poster, center, queue) = (NotificationPoster(), NotificationCenter(), DispatchQueue(label: "stopped"))
        queue.suspend()
        (poster.center, poster.queue) = (center, queue)
        return (poster, center, queue)
    }

    @Test("A stalled queue collects no more than a limited number of notifications")
    func backlog() async throws {
        let (poster, center, queue) = makeStopped()
        let seen = Watched<[Int]>([])
        let name = Notification.Name("test")
        let token = center.addObserver(forName: name, object: nil, queue: nil) { notification in
            let number = notification.object as? Int
            seen.change { $0.append(number ?? -1) }
        }
        for number in 0..<5_000 { poster.post(name, object: number) }
        queue.resume()
        try await seen.wait { $0.last == 4_999 }
        #expect(seen.current == Array(4_000..<5_000))
        center.removeObserver(token)
    }

    @Test(
        "A stalled queue keeps the user info of no more than a limited number of bytes, and always of the last notification",
        arguments: [(1 << 20, 1_524), (1 << 30, 1_539)]
    )
    func cost(_ cost: Int, first: Int) async throws {
        let (poster, center, queue) = makeStopped()
        let seen = Watched<[(number: Int, hasUserInfo: Bool)]>([])
        let token = center.addObserver(forName: nil, object: nil, queue: nil) { notification in
            let number = notification.object as? Int
            let hasUserInfo = notification.userInfo?.isEmpty == false
            seen.change { $0.append((number ?? -1, hasUserInfo)) }
        }
        let name = Notification.Name("test")
        // The limit on the number has been reached before that on the bytes.
        for number in 0..<1_500 { poster.post(name, object: number) }
        for number in 1_500..<1_540 { poster.post(name, object: number, cost: cost, userInfo: ["body": 1]) }
        queue.resume()
        try await seen.wait { $0.last?.number == 1_539 }
        #expect(seen.current.map(\.number) == Array(540..<1_540))
        #expect(seen.current.filter(\.hasUserInfo).map(\.number) == Array(first..<1_540))
        center.removeObserver(token)
    }

    @Test("Without a queue nothing is posted")
    func noQueue() async throws {
        let poster = NotificationPoster()
        let center = NotificationCenter()
        poster.center = center
        poster.queue = nil
        let seen = Watched(0)
        let token = center.addObserver(forName: nil, object: nil, queue: nil) { _ in seen.change { $0 += 1 } }
        poster.post(Notification.Name("test"), object: 1)
        poster.queue = DispatchQueue(label: "running")
        poster.post(Notification.Name("test"), object: 2)
        try await seen.wait { $0 == 1 }
        center.removeObserver(token)
    }

    @Test("Notifications that wait for a queue that never runs are posted on the next one, once")
    func nextQueue() async throws {
        let (poster, center, stopped) = makeStopped()
        let seen = Watched<[Int]>([])
        let token = center.addObserver(forName: nil, object: nil, queue: nil) { notification in
            let number = notification.object as? Int
            seen.change { $0.append(number ?? -1) }
        }
        for number in 0..<3 { poster.post(Notification.Name("test"), object: number) }
        poster.queue = DispatchQueue(label: "running")
        try await seen.wait { $0.count == 3 }
        poster.post(Notification.Name("test"), object: 3)
        try await seen.wait { $0.count == 4 }
        stopped.resume()
        stopped.sync {}
        #expect(seen.current == [0, 1, 2, 3])
        center.removeObserver(token)
    }

    @Test("Notifications whose objects keep bodies are dropped beyond a number of bytes, and so are those before them")
    func keepers() async throws {
        let (poster, center, queue) = makeStopped()
        let seen = Watched<[String]>([])
        let token = center.addObserver(forName: nil, object: nil, queue: nil) { notification in
            let name = notification.name.rawValue
            seen.change { $0.append(name) }
        }
        var objects = (0..<40).map { _ in Token() }
        let released = objects.map { WeakToken(token: $0) }
        for (number, object) in objects.enumerated() {
            // The beginning of the first one was posted already.
            if number > 0 {
                poster.post(Notification.Name("start \(number)"), keeper: object, isBeginning: true, cost: 0)
            }
            poster.post(Notification.Name("other \(number)"), object: number)
            poster.post(Notification.Name("end \(number)"), keeper: object, isBeginning: false, cost: 1 << 20)
        }
        objects = []
        #expect(released.indices.filter { released[$0].token != nil } == [0] + (24..<40))
        queue.resume()
        try await seen.wait { $0.last == "end 39" }
        #expect(seen.current.filter { $0.hasPrefix("start") } == (24..<40).map { "start \($0)" })
        #expect(seen.current.filter { $0.hasPrefix("other") }.count == 40)
        center.removeObserver(token)
    }

    private final class Token: Sendable {}

    private struct WeakToken {
        weak var token: Token?
    }

    @Test("Without a queue, what waits is released") func released() {
        let (poster, _, stopped) = makeStopped()
        defer { stopped.resume() }
        var object: Token? = Token()
        weak let gone = object
        if let object { poster.post(Notification.Name("test"), object: object) }
        object = nil
        #expect(gone != nil)
        poster.queue = nil
        #expect(gone == nil)
    }
}
