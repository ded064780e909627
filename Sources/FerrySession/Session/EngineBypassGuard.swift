/// Refuses every request that FoundationNetworking's own HTTP would send for a ``CurlSession``.
///
/// Its `async` functions cannot be overridden: called through a variable of type `URLSession`, with a `delegate`
/// argument of `nil`, they go to FoundationNetworking, which knows no pin, no proxy and no safe redirection.
final class EngineBypassGuard: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let error = CurlSessionError(
            .bypassesEngine,
            "This call goes around CurlSession's engine: call it on a variable of type CurlSession, "
                + "without a delegate argument or with one that is not nil"
        )
        client?.urlProtocol(
            self,
            didFailWithError: URLError.ferry(.unsupportedURL, url: request.url, underlying: error)
        )
    }

    override func stopLoading() {}
}
