import FerryAssets
import FerryOperations
import FerryTesting
import Foundation
import Testing

/// The properties that AFNetworking archives of its managers.
@Suite("Manager descriptors", .timeLimit(.minutes(5)))
struct HTTPManagerDescriptorTests {
    private func manager(_ base: URL) throws -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: base)
        manager.requestSerializer = .json { $0.headers = ["X-Serializer": "s"] }
        manager.responseSerializer = StringResponseSerializer(encoding: .isoLatin1)
        try manager.setSecurityPolicy(SecurityPolicy(validatesDomainName: false))
        return manager
    }

    private func recoded(_ descriptor: HTTPManagerDescriptor) throws -> HTTPManagerDescriptor {
        try JSONDecoder().decode(HTTPManagerDescriptor.self, from: JSONEncoder().encode(descriptor))
    }

    @Test("A manager is restored with base URL, serializers and policy, and works")
    func sessionManager() async throws {
        let server = try LoopbackServer()
        let original = try manager(server.url("/v1"))
        let made = try recoded(HTTPManagerDescriptor(original)).makeManager()
        #expect(made.baseURL == original.baseURL)
        #expect(made.securityPolicy == original.securityPolicy)
        #expect((made.responseSerializer as? StringResponseSerializer)?.encoding == .isoLatin1)
        let echo = try await made.post("/echo", parameters: ["a": 1], as: LoopbackEcho.self)
        #expect(echo.body == #"{"a":1}"#)
        #expect(echo.header("X-Serializer") == "s")
    }

    @Test("An operation manager is restored too")
    func operationManager() throws {
        let base = try #require(URL(string: "https://example.com/v1/"))
        let original = HTTPRequestOperationManager(sessionManager: try manager(base))
        let made = try recoded(HTTPManagerDescriptor(original)).makeOperationManager()
        #expect(made.baseURL == base)
        #expect(made.requestSerializer is JSONRequestSerializer)
        #expect(made.securityPolicy == original.securityPolicy)
    }

    @Test("A manager with a compound serializer is restored with the serializers in it")
    func compound() throws {
        let manager = HTTPSessionManager(baseURL: nil)
        manager.responseSerializer = .compound(.json, .imageData)
        let made = try recoded(HTTPManagerDescriptor(manager)).makeManager()
        let serializer = try #require(made.responseSerializer as? CompoundResponseSerializer<any Sendable>)
        let url = try #require(URL(string: "http://example.com/image"))
        let fields = ["Content-Type": "image/png"]
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        let image = Data("x".utf8)
        let result = serializer.serialize(request: URLRequest(url: url), response: response, data: image)
        #expect(result.value as? Data == image)
    }

    @Test("A serializer with a closure cannot be described")
    func code() throws {
        let manager = HTTPSessionManager(baseURL: nil)
        manager.responseSerializer = CompoundResponseSerializer<JSONValue>([JSONResponseSerializer()])
        #expect(throws: NetworkError.self) { try HTTPManagerDescriptor(manager) }
    }

    @Test("Invalid descriptor data is a decoding error", arguments: ["", "{}", "[]", #"{"baseURL":1}"#])
    func garbage(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(HTTPManagerDescriptor.self, from: Data(text.utf8))
        }
    }

    @Test("Pins without https are an error when the manager is restored, and are not dropped")
    func pins() throws {
        let server = try LoopbackServer()
        let manager = HTTPSessionManager(baseURL: server.url)
        let secure = HTTPSessionManager(baseURL: URL(string: "https://localhost/"))
        let pin = PublicKeyPin("sha256//" + Data(repeating: 7, count: 32).base64EncodedString())
        try secure.setSecurityPolicy(SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: [pin]))
        var fields = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(HTTPManagerDescriptor(secure))) as? [String: Any]
        )
        fields["baseURL"] = manager.baseURL?.absoluteString
        let damaged = try JSONDecoder().decode(
            HTTPManagerDescriptor.self,
            from: JSONSerialization.data(withJSONObject: fields)
        )
        #expect(throws: NetworkError.self) { try damaged.makeManager() }
    }
}
