import Testing

@testable import FerrySession

@Suite struct AsyncCallLoaderTests {
    private static let label = "org.swift.URLSessionTask.WorkQueue"

    @Test("A call that cannot be carried over is refused; only the thread that ends it gets another completion queue")
    func refusal() throws {
        let url = try #require(URL(string: "http://localhost/"))
        let client = Client()
        let loader = AsyncCallLoader(request: URLRequest(url: url), cachedResponse: nil, client: client)
        // There is no task of FoundationNetworking.
        DispatchQueue(label: Self.label).sync {
            loader.startLoading()
            #expect(AsyncCallLoader.currentCompletionQueue == nil)
        }
        let end = client.end.current
        #expect(end.errors.map(\.ferryCode) == [.bypassesEngine])
        #expect(end.hasQueueHere && !end.hasQueueElsewhere)
    }

    /// Looks for the completion queue while a call ends, and on the queue of another task meanwhile.
    private final class Client: NSObject, URLProtocolClient {
        let end = Watched((errors: [URLError](), hasQueueHere: false, hasQueueElsewhere: false))

        func urlProtocol(_ loader: URLProtocol, didFailWithError error: any Error) {
            let (isDone, hasQueueElsewhere) = (Gate(), Watched(false))
            DispatchQueue(label: AsyncCallLoaderTests.label).async {
                hasQueueElsewhere.change { $0 = AsyncCallLoader.currentCompletionQueue != nil }
                isDone.open()
            }
            isDone.wait()
            let hasQueueHere = AsyncCallLoader.currentCompletionQueue != nil
            end.change { end in
                if let error = error as? URLError { end.errors.append(error) }
                end.hasQueueHere = hasQueueHere
                end.hasQueueElsewhere = hasQueueElsewhere.current
            }
        }

        func urlProtocol(_ loader: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {}
        func urlProtocol(_ loader: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}
        func urlProtocol(
            _ loader: URLProtocol,
            didReceive response: URLResponse,
            cacheStoragePolicy policy: URLCache.StoragePolicy
        ) {}
        func urlProtocol(_ loader: URLProtocol, didLoad data: Data) {}
        func urlProtocolDidFinishLoading(_ loader: URLProtocol) {}
        func urlProtocol(_ loader: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {}
        func urlProtocol(_ loader: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
    }
}
