import Ferry
import FerryTesting
import Foundation
import Testing

/// The properties that AFNetworking's copies keep, and those they lose by mistake.
@Suite("Copies", .timeLimit(.minutes(5)))
struct CopyTests {
    @Test("A copy has base URL, configuration, serializers and policy", arguments: TestTransport.all)
    func carried(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Configured": "c"]
        let manager = HTTPSessionManager(
            baseURL: server.url("/v1"),
            configuration: configuration,
            transport: transport.transport
        )
        manager.requestSerializer = .json { $0.headers = ["X-Serializer": "s"] }
        manager.responseSerializer = StringResponseSerializer(encoding: .isoLatin1)
        let policy = SecurityPolicy(validatesDomainName: !transport.abilities.contains(.securityPolicies))
        try manager.setSecurityPolicy(policy)
        let copy = manager.copy()
        #expect(copy !== manager && copy.session !== manager.session)
        #expect(copy.baseURL == manager.baseURL)
        #expect((copy.responseSerializer as? StringResponseSerializer)?.encoding == .isoLatin1)
        #expect(copy.securityPolicy == policy)
        let echo = try await copy.post("/echo", parameters: ["a": 1], as: LoopbackEcho.self)
        #expect(echo.body == #"{"a":1}"#)
        #expect(echo.header("X-Configured") == "c")
        #expect(echo.header("X-Serializer") == "s")
    }

    @Test("A copy has its own queues, tasks, hooks, monitors and notifications")
    func notCarried() throws {
        let manager = SessionManager(configuration: .ephemeral)
        manager.completionQueue = .main
        manager.completionGroup = DispatchGroup()
        manager.progressQueue = .main
        manager.notificationQueue = nil
        manager.hooks.taskDidComplete = { _, _, _ in }
        manager.eventMonitors = [RequestLogger(output: { _ in })]
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        _ = manager.dataTask(with: URLRequest(url: url)) { _ in }
        let copy = manager.copy()
        #expect(copy.tasks.isEmpty)
        #expect(copy.operationQueue !== manager.operationQueue)
        #expect(copy.completionQueue !== manager.completionQueue)
        #expect(copy.completionGroup !== manager.completionGroup)
        #expect(copy.progressQueue == nil)
        #expect(copy.notificationQueue != nil)
        #expect(copy.hooks.taskDidComplete == nil)
        #expect(copy.eventMonitors.isEmpty)
        manager.invalidate(cancellingTasks: true)
    }

    @Test(
        "A copy of an invalidated manager is valid, and the two are independent",
        arguments: TestTransport.all
    )
    func independence(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let manager = transport.manager(baseURL: server.url)
        manager.invalidate(cancellingTasks: true)
        let copy = manager.copy()
        manager.responseSerializer = .data
        manager.requestSerializer = .json
        let value: JSONValue = try await copy.send(.get("x", serializer: .json))
        #expect(value == [1])
        #expect(copy.responseSerializer is JSONResponseSerializer)
        #expect(copy.requestSerializer is HTTPRequestSerializer)
    }

    @Test("A subclass can make copies of its own class")
    func subclass() {
        final class Service: HTTPSessionManager, @unchecked Sendable {
            override func copy() -> Service {
                let copy = Service(baseURL: baseURL, configuration: configuration, transport: transport)
                copy.takeSettings(of: self)
                return copy
            }
        }
        let service: SessionManager = Service(baseURL: URL(string: "http://example.com/"), configuration: .ephemeral)
        (service as? Service)?.requestSerializer = .propertyList
        let copy = service.copy() as? Service
        #expect(copy?.baseURL?.absoluteString == "http://example.com/")
        #expect(copy?.requestSerializer is PropertyListRequestSerializer)
    }

    @Test("Copied request serializers keep everything; AFNetworking's lose encoding, methods and properties")
    func serializerValues() throws {
        var original = HTTPRequestSerializer()
        original.timeoutInterval = 7
        original.stringEncoding = .isoLatin1
        original.methodsEncodingParametersInURI = [.get]
        original.headers["X-A"] = "1"
        let copy = original
        original.timeoutInterval = 9
        original.headers["X-A"] = "2"
        let url = try #require(URL(string: "http://example.com/"))
        let request = try copy.makeRequest(method: .delete, url: url, parameters: ["a": "ü"])
        #expect(request.timeoutInterval == 7)
        #expect(request.value(forHTTPHeaderField: "X-A") == "1")
        #expect(request.httpBody == Data("a=%FC".utf8))
    }
}
