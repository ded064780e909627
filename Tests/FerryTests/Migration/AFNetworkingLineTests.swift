import Ferry
import FerryAssets
import FerryOperations
import FerryTesting
import Foundation
import Testing

/// The calls that AFNetworking's users write first, other than those with parameters.
@Suite("Calls as with AFNetworking", .timeLimit(.minutes(5)))
struct AFNetworkingLineTests {
    private func manager(_ server: LoopbackServer) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.notificationQueue = nil
        return manager
    }

    private func response(
        _ manager: HTTPSessionManager,
        _ path: String = "echo"
    ) async -> TaskResponse<any Sendable> {
        await withCheckedContinuation { continuation in
            _ = manager.get(path) { continuation.resume(returning: $0) }
        }
    }

    @Test("A value is cast to a dictionary through foundationValue, or by choosing the serializer for it")
    func casts() async throws {
        let text = """
            {"name":"Ada","age":36,"price":1.5,"left":null,"isNew":true,"tags":["a","b"],"big":0.12345678901234567890}
            """
        let server = try LoopbackServer { _ in .json(text) }
        let manager = manager(server)
        let first = await response(manager)
        #expect(first.value is JSONValue)
        #expect(first.value as? [String: Any] == nil)
        let user = try #require(first.foundationValue as? [String: Any])
        #expect(user["name"] as? String == "Ada")
        #expect(user["age"] as? Int == 36)
        #expect(user["age"] as? Double == 36)
        #expect(user["price"] as? Double == 1.5)
        #expect(user["left"] is NSNull)
        #expect(user["isNew"] as? Bool == true)
        #expect(user["tags"] as? [String] == ["a", "b"])
        #expect((user["big"] as? NSDecimalNumber)?.decimalValue == Decimal(string: "0.12345678901234567890"))
        manager.responseSerializer = .jsonObject
        let second = await response(manager)
        #expect((second.value as? [String: Any])?["age"] as? Int == 36)
        #expect((second.foundationValue as? [String: Any])?["age"] as? Int == 36)
        manager.responseSerializer = .string
        #expect(await response(manager).foundationValue as? String == text)
    }

    @Test("Property lists have Foundation's objects too, and other values are unchanged")
    func otherObjects() {
        let (date, data) = (Date(timeIntervalSince1970: 1), Data([1]))
        let list = PropertyListValue.dictionary([
            "d": .date(date), "b": .data(data), "a": .array([.integer(1), .unsigned(.max), .real(1.5), .bool(true)]),
        ])
        let objects = TaskResponse(value: list).foundationValue as? [String: Any]
        #expect(objects?["d"] as? Date == date)
        #expect(objects?["b"] as? Data == data)
        #expect(objects?["a"] as? [NSNumber] == [1, NSNumber(value: UInt64.max), 1.5, true])
        #expect(TaskResponse(value: "text").foundationValue as? String == "text")
        #expect(TaskResponse<String>().foundationValue == nil)
    }

    @Test("An error is compared with a code")
    func comparison() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let seen = Watched<TaskResponse<any Sendable>?>(nil)
        let task = manager(server).get("x") { response in seen.change { $0 = response } }
        task?.cancel()
        try await seen.wait { $0 != nil }
        let response = try #require(seen.current)
        #expect(response.error == .cancelled)
        #expect(response.error != .timedOut)
        #expect(!(response.error == .timedOut))
        switch response.error {
        case .timedOut: Issue.record("\(String(describing: response.error))")
        case .cancelled: break
        default: Issue.record("\(String(describing: response.error))")
        }
        let none = TaskResponse<Data>()
        #expect(none.error != .cancelled)
        #expect(none.error == nil)
        let error = try #require(response.error)
        #expect(error == .cancelled)
    }

    @Test("The error of a notification's user info is cast to a NetworkError, which has the NSError")
    func notifiedError() async throws {
        let server = try LoopbackServer { _ in .json("[1]", statusCode: 404) }
        let manager = manager(server)
        let (center, seen) = (NotificationCenter(), Watched<NSError?>(nil))
        (manager.notificationCenter, manager.notificationQueue) = (center, DispatchQueue(label: "notifications"))
        let token = center.addObserver(forName: .networkingTaskDidComplete, object: nil, queue: nil) { notification in
            seen.change { $0 = (notification.userInfo?[TaskCompletion.errorKey] as? NetworkError)?.nsError }
        }
        defer { center.removeObserver(token) }
        _ = await response(manager)
        try await seen.wait { $0 != nil }
        #expect(seen.current?.domain == NetworkError.responseSerializationDomain)
        #expect(seen.current?.code == URLError.Code.badServerResponse.rawValue)
        #expect(seen.current?.userInfo[NetworkError.dataKey] as? Data == Data("[1]".utf8))
    }

    @Test("The request serializer of a manager can be changed in place")
    func requestSerializer() async throws {
        let server = try LoopbackServer()
        let manager = manager(server)
        manager.requestSerializer = .json
        manager.requestSerializer.headers["X-Client"] = "ferry"
        manager.requestSerializer.setValue("7", forHTTPHeaderField: "X-Trace")
        manager.requestSerializer.headers.setAuthorization(username: "u", password: "p")
        manager.requestSerializer.timeoutInterval = 10
        manager.requestSerializer.cachePolicy = .reloadIgnoringLocalCacheData
        manager.requestSerializer.methodsEncodingParametersInURI.remove(.delete)
        #expect(manager.requestSerializer.value(forHTTPHeaderField: "x-trace") == "7")
        let request = try manager.makeRequest(.delete("echo").parameters(["a": 1]))
        #expect(request.timeoutInterval == 10)
        #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(request.httpBody == Data(#"{"a":1}"#.utf8))
        let echo = try await manager.get("echo", as: LoopbackEcho.self)
        #expect(echo.header("X-Client") == "ferry")
        #expect(echo.header("Authorization") == "Basic dTpw")
        manager.requestSerializer.setValue(nil, forHTTPHeaderField: "X-Trace")
        #expect(try await manager.get("echo", as: LoopbackEcho.self).header("X-Trace") == nil)
        let operations = HTTPRequestOperationManager(sessionManager: manager)
        operations.requestSerializer.headers["X-Client"] = "other"
        #expect(manager.requestSerializer.headers["X-Client"] == "other")
    }

    @Test("The response serializers of a manager and of an operation can be changed in place")
    func responseSerializer() async throws {
        let server = try LoopbackServer { _ in .data(Data("[1]".utf8), contentType: "text/x", statusCode: 418) }
        let manager = manager(server)
        #expect(await response(manager).error?.contains(.unacceptableContentType) == true)
        manager.responseSerializer.acceptableContentTypes = ["text/x"]
        #expect(await response(manager).error == .unacceptableStatusCode)
        manager.responseSerializer.acceptableStatusCodes?.insert(418)
        let accepted = await response(manager)
        #expect(accepted.error == nil)
        #expect(accepted.value as? JSONValue == [1])
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url), manager: manager)
        operation.responseSerializer.acceptableStatusCodes = [418]
        operation.start()
        try await eventually { operation.isFinished }
        #expect(operation.error == nil)
    }

    @Test("A wrapped serializer validates like the one inside, and its limits can be changed")
    func wrapped() throws {
        let html = SampleResponse(200, "text/html", "[1]")
        var mapped = JSONResponseSerializer().map { $0[0]?.int ?? 0 }
        #expect(try html.serialized(by: mapped).codes == [.unacceptableContentType])
        mapped.acceptableContentTypes = nil
        #expect(try html.serialized(by: mapped).value == 1)
        mapped.maximumBodySize = 2
        #expect(try html.serialized(by: mapped).codes == [.responseTooLarge])
        struct Constant: ResponseSerializer {
            func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<Int> {
                SerializedResponse(value: 1)
            }
        }
        var constant = AnyResponseSerializer(Constant())
        #expect(try SampleResponse(404, "text/html", "x").serialized(by: constant).error == nil)
        constant.acceptableStatusCodes = [200]
        let missing = try SampleResponse(404, "text/html", "x").serialized(by: constant)
        #expect(missing.value == 1)
        #expect(missing.codes == [.unacceptableStatusCode])
        constant.acceptableContentTypes = ["image/*"]
        let refused = try html.serialized(by: constant)
        #expect(refused.value == nil)
        #expect(refused.codes == [.unacceptableContentType])
    }

    @Test("A compound serializer accepts serializers of different types")
    func compound() async throws {
        let server = try LoopbackServer { request in
            request.path == "/image" ? .data(Data([1]), contentType: "image/png") : .json("[1]")
        }
        let manager = manager(server)
        manager.responseSerializer = .compound(.json, .imageData)
        #expect(await response(manager, "json").value as? JSONValue == [1])
        #expect(await response(manager, "image").value as? Data == Data([1]))
        let value = try await manager.send(.get("image", serializer: .compound(.json, .imageData)))
        #expect(value as? Data == Data([1]))
        let typed: [JSONValue] = [try await manager.send(.get("json", serializer: .compound(.json, .json)))]
        #expect(typed == [[1]])
        let bodies: [Data] = [try await manager.send(.get("image", serializer: .compound(.imageData, .data)))]
        #expect(bodies == [Data([1])])
    }

    @Test("Setting a security policy can throw")
    func securityPolicy() throws {
        let manager = HTTPSessionManager(baseURL: URL(string: "https://example.com"))
        try manager.setSecurityPolicy(SecurityPolicy(validatesDomainName: false))
        #expect(!manager.securityPolicy.validatesDomainName)
        let operations = HTTPRequestOperationManager(sessionManager: manager)
        #expect(!operations.securityPolicy.validatesDomainName)
    }

    @MainActor
    @Test("A handler on the main queue can change state of the main actor")
    func mainActor() async throws {
        let server = try LoopbackServer { _ in .json(#"{"name":"Ada"}"#) }
        let screen = Screen(manager: manager(server))
        await withCheckedContinuation { continuation in
            screen.load { continuation.resume() }
        }
        #expect(screen.name == "Ada")
    }

    @MainActor
    private final class Screen {
        private(set) var name = ""
        private let manager: HTTPSessionManager

        init(manager: HTTPSessionManager) {
            self.manager = manager
            manager.completionQueue = .main
        }

        func load(then whenLoaded: @escaping @MainActor () -> Void) {
            manager.send(.get("users/1", serializer: .json)) { response in
                MainActor.assumeIsolated {
                    self.name = response.value?.name?.string ?? ""
                    whenLoaded()
                }
            }
        }
    }
}
