/// A response as the engine passes it on; its `HTTPURLResponse` is made when somebody looks at it.
///
/// Making one takes longer than all else the engine does with a head, and everybody waits for the engine's thread: the
/// thread of an `async` caller does it instead.
final class ReceivedResponse: Sendable {
    private enum State: Sendable {
        case head(ResponseHead, URL, isDecoded: Bool)
        case made(URLResponse)
    }

    /// The length of the body, where it is known.
    let expectedLength: ByteCount?
    private let state: Mutex<State>

    /// A response that comes with a head; `isDecoded` tells that its body is not delivered as it came.
    init(_ head: ResponseHead, url: URL, isDecoded: Bool) {
        expectedLength = CurlHTTPResponse.length(head, isDecoded: isDecoded)
        state = Mutex(.head(head, url, isDecoded: isDecoded))
    }

    /// A response that is there already.
    init(_ response: URLResponse) {
        expectedLength = ByteCount(response.expectedContentLength)
        state = Mutex(.made(response))
    }

    /// Makes the response now, unless somebody is at it.
    func makeEarly() {
        _ = state.withLockIfAvailable { Self.make(&$0) }
    }

    /// The response, always the same object.
    var value: URLResponse { state.withLock { Self.make(&$0) } }

    private static func make(_ state: inout State) -> URLResponse {
        switch state {
        case .made(let response): return response
        case .head(let head, let url, let isDecoded):
            // The initializer can fail by its type only.
            let response: URLResponse =
                CurlHTTPResponse(url: url, head: head, isDecoded: isDecoded)
                ?? URLResponse(url: url.presentable, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
            state = .made(response)
            return response
        }
    }
}
