import Testing

@testable import FerryCurl
@testable import FerrySession

/// Which credential a call uses without asking the delegate.
struct CallCredentialsTests {
    private static let option = AuthenticationChallenge.Option(scheme: .basic, realm: "r")
    private static let (first, second) = (credential("first"), credential("second"))
    private static let proxy = ProxyServer(kind: .http, host: "proxy.test", port: 80, user: "first", password: "x")

    private static func credential(_ user: String) -> SchemeCredential {
        SchemeCredential(scheme: .basic, user: user, password: "x")
    }

    /// A request, and the state of the session's credentials for its origin.
    struct Situation: Sendable {
        var url = "https://a.test/x"
        var field: String?
        /// Whether the session's additional headers have an `Authorization`.
        var isAuthorizedBySession = false
        /// Whether the credential was accepted for the realm alone.
        var isForRealm = false
        var hasRefused = false
        /// Whether a challenge is answered; otherwise the credential is sent before any challenge.
        var asks = false
    }

    private static func accepted(_ situation: Situation) -> SchemeCredential? {
        guard let url = URL(string: situation.url), let own = URL(string: "https://a.test/") else { return nil }
        let configuration = URLSessionConfiguration.ephemeral
        if situation.isAuthorizedBySession { configuration.httpAdditionalHeaders = ["authorization": "x"] }
        var request = URLRequest(url: url)
        request.setValue(situation.field, forHTTPHeaderField: "Authorization")
        let settings = CurlSessionSettings(configuration, options: CurlSession.Options())
        var call = Call(request, body: .none, isDownload: false, settings: settings)
        if situation.hasRefused { call.credentials.refuseAll() }
        let place = CredentialPlace.origin(Origin(own))
        let use = CredentialUse(place: place, option: situation.isForRealm ? option : nil)
        let world = QuietSurroundings(acceptedCredentials: AcceptedCredentials([use: first]))
        return call.accepted(isProxy: false, for: situation.asks ? option : nil, world)
    }

    @Test(
        "A credential that was accepted before is sent again, unless something takes its place",
        arguments: [
            (Situation(), true), (Situation(isForRealm: true, asks: true), true),
            (Situation(url: "https://b.test/x"), false), (Situation(url: "http://a.test/x"), false),
            (Situation(asks: true), false), (Situation(isForRealm: true), false),
            (Situation(field: "x"), false), (Situation(url: "https://user@a.test/x"), false),
            (Situation(isAuthorizedBySession: true), false), (Situation(hasRefused: true), false),
        ]
    )
    func accepted(_ situation: Situation, _ isSent: Bool) {
        #expect(Self.accepted(situation) == (isSent ? Self.first : nil))
    }

    @Test("The credential of the options for a proxy is used if it is certain which proxy has asked")
    func ownOfProxy() {
        let request = URLRequest(url: URL(fileURLWithPath: "/"))
        let settings = CurlSessionSettings(.ephemeral, options: CurlSession.Options())
        let call = Call(request, body: .none, isDownload: false, settings: settings)
        for (isProxy, isCertain) in [(true, true), (true, false), (false, true)] {
            let status = isProxy ? 407 : 401
            let name = isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
            let fields = [ResponseHead.Field(name: name, value: "Basic realm=\"r\"")]
            let head = ResponseHead(version: "HTTP/1.1", status: status, fields: fields)
            let world = QuietSurroundings(proxy: Self.proxy, isProxyCertain: isCertain)
            guard let challenge = AuthenticationChallenge(head, runtime: try? CurlRuntime.current()) else {
                Issue.record("There is no challenge")
                continue
            }
            #expect(call.ownOfProxy(for: challenge, world) == (isProxy && isCertain ? Self.first : nil))
        }
    }

    @Test("A credential is kept for its place and realm, and forgotten unless another one was accepted meanwhile")
    func kept() {
        let place = CredentialPlace.proxy("a")
        let uses = [CredentialUse(place: place), CredentialUse(place: place, option: Self.option)]
        var accepted = AcceptedCredentials()
        accepted.keep(Credentials.Party(credential: Self.first, option: Self.option, place: place))
        for use in uses { accepted.forget(Self.second, for: use) }
        #expect(uses.map { accepted[$0] } == [Self.first, Self.first])
        accepted.forget(Self.first, for: uses[0])
        #expect(uses.map { accepted[$0] } == [nil, Self.first])
        accepted.forgetAll()
        // This credential was provided before all credentials were forgotten.
        accepted.keep(Credentials.Party(credential: Self.first, generation: 0, place: place))
        #expect(accepted.isEmpty)
    }
}
