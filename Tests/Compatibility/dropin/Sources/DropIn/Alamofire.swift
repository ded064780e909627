import Alamofire
import FerrySession

/// Fetches a user with the code of the article.
func alamofireUser(at url: URL) async throws -> User {
    let delegate = SessionDelegate()
    let rootQueue = DispatchQueue(label: "org.alamofire.session.rootQueue")
    let delegateQueue = OperationQueue()
    delegateQueue.maxConcurrentOperationCount = 1
    delegateQueue.underlyingQueue = rootQueue

    let urlSession = CurlSession(
        configuration: .af.default,
        delegate: delegate,
        delegateQueue: delegateQueue
    )
    let session = Session(session: urlSession, delegate: delegate, rootQueue: rootQueue)
    let user = try await session.request(url).serializingDecodable(User.self).value
    return user
}
