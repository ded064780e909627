import Foundation
import Testing

@testable import Ferry

/// What no transport asks for so far: FoundationNetworking asks a task's own delegate only.
@Suite("Session delegate")
struct SessionDelegateTests {
    @Test("A response is cached as the hook says, or not at all, and as proposed without a hook")
    func caching() throws {
        let core = SessionCore(
            configuration: .ephemeral,
            transport: .system,
            responseSerializer: JSONResponseSerializer()
        )
        let delegate = SessionDelegate(core: core, generation: 1)
        let url = try #require(URL(string: "http://example.com/"))
        let session = URLSession(configuration: .ephemeral)
        let task = session.dataTask(with: url)
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
        let proposed = CachedURLResponse(response: response, data: Data("x".utf8))
        func cached() -> [Data?] {
            let answers = Watched<[Data?]>([])
            delegate.urlSession(session, dataTask: task, willCacheResponse: proposed) { answer in
                answers.change { $0.append(answer?.data) }
            }
            return answers.current
        }
        #expect(cached() == [Data("x".utf8)])
        core.settings.withLock { settings in
            settings.hooks.dataTaskWillCacheResponse = { _, _, proposed in
                CachedURLResponse(response: proposed.response, data: proposed.data + Data("y".utf8))
            }
        }
        #expect(cached() == [Data("xy".utf8)])
        core.settings.withLock { $0.hooks.dataTaskWillCacheResponse = { _, _, _ in nil } }
        #expect(cached() == [nil])
        session.invalidateAndCancel()
    }
}
