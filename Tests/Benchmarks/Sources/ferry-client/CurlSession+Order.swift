import Ferry
import SessionWorkloads

extension WorkOrder {
    /// The options of a session that trusts the order's authority.
    var options: CurlSession.Options {
        var options = CurlSession.Options()
        if let authority { options.tls.certificateAuthorities = .only([.pemFile(authority)]) }
        if face.hasSuffix("-recovery") {
            options.retryPolicy = .standard
            options.interceptors = [
                PlainInterceptor(),
                AuthenticationInterceptor.bearer(initial: BearerToken("token")) { $0 ?? BearerToken("") },
            ]
        }
        return options
    }
}

/// An interceptor that adds a field.
private struct PlainInterceptor: ImmediateRequestInterceptor {
    func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
        request.setValue("1", forHTTPHeaderField: "X-Attempt")
        return true
    }
}

extension CurlSession {
    /// Creates a session for an order.
    convenience init(_ order: WorkOrder, delegate: WorkloadDelegate? = nil) {
        self.init(configuration: order.configuration, options: order.options, delegate: delegate)
    }

    /// The session's `async` functions.
    var functions: AsyncFunctions {
        AsyncFunctions(
            data: { try await self.data(from: $0) },
            download: { try await self.download(from: $0) },
            upload: { try await self.upload(for: $0, fromFile: $1) },
            uploadData: { try await self.upload(for: $0, from: $1) },
            count: { url in
                let (bytes, response) = try await self.bytes(from: url)
                var count = 0
                for try await chunk in bytes.chunks { count += chunk.count }
                return (count, response)
            }
        )
    }
}
