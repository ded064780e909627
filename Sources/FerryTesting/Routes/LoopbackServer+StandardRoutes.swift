import Foundation

extension LoopbackServer {
    /// Answers a request by the built-in routes; handlers may fall back to it.
    ///
    /// What comes back:
    /// - `/echo`, `/upload`: the request as ``LoopbackEcho``, the latter without the body's text. `/upload?rate=N`
    ///   reads N bytes a second, `/upload?delay=MS` waits before it reads.
    /// - `/status/CODE`, `/delay/MS` (`?where=body`), `/response-headers?NAME=VALUE` (`status=` sets the status).
    /// - `/json`, `/xml`, `/plist`, `/html`, `/image` (`?width=&height=`), `/gzip`, `/deflate` (`?raw=1`): each with
    ///   `bytes=N` for a compressed pattern.
    ///
    /// Bodies of N bytes of the pattern:
    /// - `/bytes/N`: with the entity tag `pattern-N` (`?etag=` for another), a date, ranges (`ranges=0` for none) and
    ///   `rate=` for bytes per second.
    /// - `/drip?bytes=&chunk=&interval=MS`, `chunked=1` for chunks.
    /// - `/chunked?chunks=&size=&interval=MS`, `trailers=1` for trailers, `extension=` for chunk extensions.
    /// - `/cache?max-age=S`: with an entity tag.
    ///
    /// Faults:
    /// - `/reset`, `/stall`, `/truncate`, `/pause?ms=`: after `after=N` of `bytes=M`, chunked with `chunked=1`. With
    ///   `resumable=1` a request with `Range` gets its range without a fault.
    /// - `/gzip-truncated`, `/gzip-corrupt`, `/empty`, `/garbage`, `/close-after`, `/reset-before`, `/stall-before`.
    /// - `/early/CODE?after=N`, `/upload-reset?after=N`, `/upload-stall?after=N`, `/upload-close?after=N`: answer or
    ///   fail within the request body.
    /// - `/expect/ignore`, `/expect/417`: leave an expectation unanswered, or refuse it.
    /// - `/interim/CODE`: a 1xx response first. `/headers/odd/KIND`, `/headers/huge?size=&count=`: unusual heads.
    ///
    /// Sessions:
    /// - `/redirect/N` (`?status=`, `absolute=1`), `/redirect-to?url=&status=`, `/redirect-loop`.
    /// - `/basic-auth/USER/PASSWORD`, `/digest-auth/USER/PASSWORD` (`?algorithm=SHA-256`), `/bearer/TOKEN`.
    /// - `/cookies`, `/cookies/set?NAME=VALUE`, `/cookies/delete?NAME=`.
    ///
    /// Anything else is answered with 404.
    public static func standardRoutes(_ request: LoopbackRequest) -> LoopbackResponse {
        StandardRoutes.respond(to: request)
    }

    /// Tells how the built-in routes read bodies, for ``Configuration/bodyReading`` rules that fall back to it.
    public static func standardBodyReading(_ request: LoopbackRequest) -> LoopbackBodyReading {
        StandardRoutes.bodyReading(for: request)
    }
}
