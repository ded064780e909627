import Alamofire
import Foundation
import SessionWorkloads

/// Alamofire, with and without its interceptors.
@main
enum AlamofireClient {
    static func main() async {
        await Client.run { order in
            let session = Session(configuration: order.configuration, interceptor: try interceptor(of: order))
            guard order.work == .requests else {
                throw BenchmarkError("Only --work requests is supported, not \(order.work.rawValue)")
            }
            return try Measuring.run(order) { completed in
                session.request(order.url).responseData { response in
                    completed(order.check(response.data?.count ?? 0, response.response, response.error))
                }
            }
        }
    }

    /// Returns the equivalents of those in `ferry-client`: a policy, an interceptor and an authenticator.
    private static func interceptor(of order: WorkOrder) throws -> (any RequestInterceptor)? {
        switch order.face {
        case "plain": nil
        case "recovery":
            Interceptor(interceptors: [
                RetryPolicy(),
                Adapter { request, _, completion in
                    var request = request
                    request.setValue("1", forHTTPHeaderField: "X-Attempt")
                    completion(.success(request))
                },
                AuthenticationInterceptor(authenticator: Bearer(), credential: Bearer.Token()),
            ])
        default: throw BenchmarkError("Alamofire does not support --face \(order.face)")
        }
    }
}

/// An authenticator whose token never expires.
private final class Bearer: Authenticator {
    struct Token: AuthenticationCredential {
        var requiresRefresh: Bool { false }
    }

    func apply(_ credential: Token, to request: inout URLRequest) {
        request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
    }

    func refresh(
        _ credential: Token,
        for session: Session,
        completion: @escaping @Sendable (Result<Token, any Error>) -> Void
    ) {
        completion(.success(credential))
    }

    func didRequest(
        _ request: URLRequest,
        with response: HTTPURLResponse,
        failDueToAuthenticationError error: any Error
    )
        -> Bool
    {
        response.statusCode == 401
    }

    func isRequest(_ request: URLRequest, authenticatedWith credential: Token) -> Bool { true }
}
