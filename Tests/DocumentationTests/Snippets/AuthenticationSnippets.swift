import FerryAPI
import Foundation

struct Account: Sendable {
    func newToken(replacing expired: BearerToken?) async throws -> BearerToken { BearerToken("token") }
}

enum AuthenticationSnippets {
    static func bearer(manager: HTTPSessionManager, token: BearerToken, account: Account) {
        manager.interceptors = [
            AuthenticationInterceptor.bearer(initial: token) { expired in
                try await account.newToken(replacing: expired)
            }
        ]
    }

    static func basic(manager: HTTPSessionManager) {
        manager.requestSerializer.headers
            .setAuthorization(username: "ada", password: "secret")
    }

    static func oauth(manager: HTTPSessionManager, endpoint: URL, secret: String) {
        let authenticator = OAuth2Authenticator(
            tokenEndpoint: endpoint,
            client: OAuth2Client(id: "app", secret: secret),
            grant: .clientCredentials,
            scope: "read"
        )
        manager.interceptors = [AuthenticationInterceptor(authenticator)]
    }

    static func keys(manager: HTTPSessionManager, key: String) {
        manager.interceptors = [APIKeyInterceptor(key, in: .header("X-API-Key"))]
    }
}
