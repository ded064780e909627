import Testing

@testable import FerrySession

@Suite struct AsyncCallLayoutTests {
    @Test("FoundationNetworking's layout is known") func known() {
        #expect(AsyncCallLayout.isKnown)
    }

    @Test("A layout with another name or another type is not known, and nothing is changed")
    func unknown() throws {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        // The second one is not a flag, and the third one is not a dictionary.
        let others = [
            AsyncCallLayout(completesInline: "other"), AsyncCallLayout(completesInline: "workQueue"),
            AsyncCallLayout(properties: "_request"), AsyncCallLayout(properties: "other"),
            AsyncCallLayout(file: "other"),
        ]
        let url = try #require(URL(string: "http://localhost/"))
        let task = session.dataTask(with: url)
        let loader = URLProtocol(request: URLRequest(url: url), cachedResponse: nil, client: nil)
        #expect(AsyncCallLayout().setInline(true, of: task))
        for layout in others {
            #expect(!layout.isValid)
            if layout.completesInline == AsyncCallLayout().completesInline {
                #expect(!layout.setFile(url, of: loader))
            } else {
                #expect(!layout.setInline(false, of: task))
            }
        }
        let flag = AsyncCallLayout.property(AsyncCallLayout().completesInline, of: task, URLSessionTask.self)
        #expect(flag as? Bool == true)
        #expect(AsyncCallLayout().file(of: loader) == nil)
    }

    @Test("A file that is set is found by its key") func file() throws {
        let url = try #require(URL(string: "file:///tmp/x"))
        let loader = URLProtocol(request: URLRequest(url: url), cachedResponse: nil, client: nil)
        #expect(AsyncCallLayout().setFile(url, of: loader))
        #expect(AsyncCallLayout().file(of: loader) == url)
    }
}
