import Foundation
import Testing

@testable import FerryTesting

struct ListeningSocketTests {
    @Test("After it was closed, another socket with its descriptor is not shut down") func reusedDescriptor() throws {
        var pair: [Int32] = [-1, -1]
        let result = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair)
        try #require(result == 0)
        defer {
            _ = close(pair[0])
            _ = close(pair[1])
        }
        for _ in 0..<1000 {
            let listener = try ListeningSocket(host: "127.0.0.1", receiveBufferSize: nil, sendBufferSize: nil)
            listener.close()
            let copy = fcntl(pair[0], F_DUPFD_CLOEXEC, listener.descriptor)
            try #require(copy >= 0)
            defer { _ = close(copy) }
            // Other tests open descriptors too, and one of them may have taken the number.
            guard copy == listener.descriptor else { continue }
            listener.shutDown()
            let sent = send(pair[0], "x", 1, Int32(MSG_NOSIGNAL))
            #expect(sent == 1)
            return
        }
        Issue.record("Others always took the number.")
    }
}
