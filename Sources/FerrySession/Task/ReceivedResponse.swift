/// A response whose `HTTPURLResponse` is made on first use.
///
/// Making it takes longer than everything else the engine does with a head, and every task waits for the engine's
/// thread. For an `async` caller, the caller's thread makes it instead.
final class ReceivedResponse: Sendable {
    private enum State: Sendable {
        case head(ResponseHead, URL, isDecoded: Bool)
        case made(URLResponse)
    }

    /// The length of the body, where it is known.
    let expectedLength: ByteCount?
    private let state: Mutex<State>

    /// Makes a response from a head; `isDecoded` tells whether its body is delivered decoded.
    init(_ head: ResponseHead, url: URL, isDecoded: Bool) {
        expectedLength = CurlHTTPResponse.length(head, isDecoded: isDecoded)
        state = Mutex(.head(head, url, isDecoded: isDecoded))
    }

    /// Makes a response from an existing one.
    init(_ response: URLResponse) {
        expectedLength = ByteCount(response.expectedContentLength)
        state = Mutex(.made(response))
    }

    /// Makes the response now, unless another thread is making it.
    func prebuild() {
        _ = state.withLockIfAvailable { Self.make(&$0) }
    }

    /// The response, which is always the same object.
    var value: URLResponse { state.withLock { Self.make(&$0) } }

    private static func make(_ state: inout State) -> URLResponse {
        switch state {
        case .made(let response): return response
        case .head(let head, let url, let isDecoded):
            // The initializer is failable only by its signature.
            let response: URLResponse =
                CurlHTTPResponse(url: url, head: head, isDecoded: isDecoded)
                ?? URLResponse(url: url.presentable, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
            state = .made(response)
            return response
        }
    }
}
