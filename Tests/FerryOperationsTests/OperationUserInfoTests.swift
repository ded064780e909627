import FerryOperations
import FerryTesting
import Foundation
import Testing

/// The user and password of a URL appear in no error or description of an operation.
@Suite("User information in URLs of operations", .timeLimit(.minutes(5)))
struct OperationUserInfoTests {
    private func request(_ server: LoopbackServer, _ path: String) throws -> URLRequest {
        let text = "http://\(SecretScan.userInfo)127.0.0.1:\(server.port)\(path)"
        return URLRequest(url: try #require(URL(string: text)))
    }

    private func check(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(SecretScan.findings(in: value) == [], sourceLocation: sourceLocation)
    }

    private func checkError(_ error: NetworkError?, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let error = try #require(error, sourceLocation: sourceLocation)
        check(error as Any, sourceLocation: sourceLocation)
        check(error.nsError, sourceLocation: sourceLocation)
        check(error as NSError, sourceLocation: sourceLocation)
    }

    @Test("Operations, their errors and their descriptions omit user and password")
    func operations() async throws {
        let server = try LoopbackServer { _ in .text("no", statusCode: 404) }
        let manager = makeOperationManager()
        let operations = try (0..<2).map { number in
            HTTPRequestOperation(request: try request(server, "/\(number)"), manager: manager)
        }
        for operation in operations { operation.start() }
        for operation in operations {
            try await operation.settled()
            try checkError(operation.error)
            check(operation.description)
            check(operation.debugDescription)
            check(operation.response as Any)
        }
        let cancelled = HTTPRequestOperation(request: try request(server, "/"), manager: manager)
        cancelled.cancel()
        cancelled.start()
        try await cancelled.settled()
        try checkError(cancelled.error)
    }
}
