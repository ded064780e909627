/// The built-in routes, which are selected by the first segment of the path.
enum StandardRoutes {
    /// A request, whose path is split into the route's name, the first segment, and the other segments.
    struct Call {
        let request: LoopbackRequest
        let name: String
        let segments: [String]

        init(_ request: LoopbackRequest) {
            self.request = request
            let all = request.segments
            name = all.first ?? ""
            segments = Array(all.dropFirst())
        }

        /// Returns a segment as a nonnegative number.
        func number(_ index: Int) -> Int? {
            guard index < segments.count, let number = Int(segments[index]), number >= 0 else { return nil }
            return number
        }

        /// Returns a query item as a nonnegative number.
        func number(_ name: String, default standard: Int) -> Int {
            guard let number = request.query[name].flatMap({ Int($0) }), number >= 0 else { return standard }
            return number
        }

        func seconds(_ name: String, default milliseconds: Int) -> TimeInterval {
            TimeInterval(number(name, default: milliseconds)) / 1000
        }

        /// Returns whether a query item is present and not `0`.
        func flag(_ name: String) -> Bool { request.query[name].map { $0 != "0" } ?? false }
    }

    typealias Route = @Sendable (Call) -> LoopbackResponse

    static let notFound = LoopbackResponse.text("There is no such route.\n", statusCode: 404)
    static let badArgument = LoopbackResponse.text("An argument of the route is wrong.\n", statusCode: 400)

    /// The greatest number of bytes a route keeps in memory.
    static let memoryLimit = 256 << 20

    static func respond(to request: LoopbackRequest) -> LoopbackResponse {
        let call = Call(request)
        guard let route = table[call.name] else { return notFound }
        return route(call)
    }

    private static let table: [String: Route] = [
        inspection, bodies, faults, headerForms, redirects, authentication, cookies, documents,
    ].reduce(into: [:]) { table, part in table.merge(part) { first, _ in first } }
}

extension LoopbackServer {
    /// Returns the response of the built-in routes to a request; handlers can use it as a fallback.
    ///
    /// Responses:
    /// - `/echo`, `/upload`: the request as ``LoopbackEcho``, the latter without the body's text. `/upload?rate=N`
    ///   reads N bytes per second, `/upload?delay=MS` waits before it reads.
    /// - `/status/CODE`, `/delay/MS` (`?where=body`), `/response-headers?NAME=VALUE` (`status=` sets the status).
    /// - `/json`, `/xml`, `/plist`, `/html`, `/image` (`?width=&height=`).
    /// - `/gzip`, `/deflate` (`?raw=1`): encoded JSON, or with `bytes=N` an encoded pattern.
    /// - `/cache?max-age=S`: with an entity tag.
    ///
    /// Bodies of N bytes of the pattern:
    /// - `/bytes/N`: with the entity tag `pattern-N` (`?etag=` for another), a date, ranges (`ranges=0` for none) and
    ///   `rate=` for bytes per second.
    /// - `/drip?bytes=&chunk=&interval=MS`, `chunked=1` for chunks.
    /// - `/chunked?chunks=&size=&interval=MS`, `trailers=1` for trailers, `extension=` for chunk extensions.
    ///
    /// Faults:
    /// - `/reset`, `/stall`, `/truncate`, `/pause?ms=`: after `after=N` of `bytes=M`, chunked with `chunked=1`. With
    ///   `resumable=1`, the response to a request with `Range` has no fault.
    /// - `/gzip-truncated`, `/gzip-corrupt`, `/empty`, `/garbage`, `/close-after`, `/reset-before`, `/stall-before`.
    /// - `/early/CODE?after=N`, `/upload-reset?after=N`, `/upload-stall?after=N`, `/upload-close?after=N`: respond or
    ///   fail within the request body.
    /// - `/expect/ignore`, `/expect/417`: ignore an expectation, or refuse it.
    /// - `/interim/CODE`: a 1xx response first. `/headers/odd/KIND`, `/headers/huge?size=&count=`: unusual heads.
    ///
    /// Sessions:
    /// - `/redirect/N` (`?status=`, `absolute=1`), `/redirect-to?url=&status=`, `/redirect-loop`.
    /// - `/basic-auth/USER/PASSWORD`, `/digest-auth/USER/PASSWORD` (`?algorithm=SHA-256`), `/bearer/TOKEN`.
    /// - `/cookies`, `/cookies/set?NAME=VALUE`, `/cookies/delete?NAME=`.
    ///
    /// The response to anything else is 404.
    public static func standardRoutes(_ request: LoopbackRequest) -> LoopbackResponse {
        StandardRoutes.respond(to: request)
    }

    /// Returns how the built-in routes read bodies; a ``Configuration/bodyReading`` closure can use it as a fallback.
    public static func standardBodyReading(_ request: LoopbackRequest) -> LoopbackBodyReading {
        StandardRoutes.bodyReading(for: request)
    }
}
