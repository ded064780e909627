import Foundation
import Testing

@testable import Ferry

@Suite("Posting notifications")
struct NotificationPosterTests {
    @Test("A stalled queue collects no more than a limited number of notifications")
    func backlog() async throws {
        let poster = NotificationPoster()
        let center = NotificationCenter()
        let queue = DispatchQueue(label: "stopped")
        queue.suspend()
        poster.center = center
        poster.queue = queue
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
}
