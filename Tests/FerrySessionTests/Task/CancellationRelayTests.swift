import TestSupport
import Testing

@testable import FerrySession

@Suite struct CancellationRelayTests {
    @Test("A transfer is cancelled once, whether it is attached before or after", arguments: [true, false])
    func order(_ isAttachedFirst: Bool) {
        let relay = CancellationRelay()
        let count = Watched(0)
        if !isAttachedFirst { relay.cancel() }
        let mayBegin = relay.attach { count.change { $0 += 1 } }
        #expect(mayBegin == isAttachedFirst)
        relay.cancel()
        relay.cancel()
        #expect(count.current == 1)
    }

    @Test("A transfer that has ended is released, and not cancelled") func end() {
        let relay = CancellationRelay()
        let count = Watched(0)
        var object: Watched<Int>? = Watched(0)
        weak let gone = object
        relay.attach { [object] in count.change { $0 += 1 + (object?.current ?? 0) } }
        object = nil
        relay.finish()
        relay.cancel()
        #expect(count.current == 0)
        #expect(gone == nil)
    }

    @Test("A cancelled download keeps its resume data") func resumeData() {
        final class Download: URLSessionDownloadTask, @unchecked Sendable {
            let calls = Watched<[String]>([])
            override func cancel() { calls.append("cancel") }
            override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
                calls.append("resume data")
            }
        }
        let relay = CancellationRelay()
        let task = Download()
        relay.attach(task)
        relay.cancel()
        #expect(task.calls.current == ["resume data"])
    }
}
