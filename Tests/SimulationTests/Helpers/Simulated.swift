import CSimulation
import Testing

/// Shared functions of the simulation's tests.
enum Simulated {
    /// Returns a session with its own configuration, which is made after the simulation.
    static func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        queue: OperationQueue? = nil,
        options: CurlSession.Options = CurlSession.Options(),
        _ configure: (URLSessionConfiguration) -> Void = { _ in }
    ) -> CurlSession {
        _ = Simulation.shared
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configure(configuration)
        return CurlSession(configuration: configuration, options: options, delegate: delegate, delegateQueue: queue)
    }

    static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    static func request(_ text: String, _ method: String = "GET", timeout: Double? = nil) throws -> URLRequest {
        var request = URLRequest(url: try url(text))
        request.httpMethod = method
        if let timeout { request.timeoutInterval = timeout }
        return request
    }

    /// Returns the error that some code throws, and how many simulated seconds it takes.
    static func failure<Value>(
        _ body: () async throws -> Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> (error: URLError?, seconds: Double) {
        let start = Simulation.shared.seconds
        let error = await #expect(throws: URLError.self, sourceLocation: sourceLocation) { _ = try await body() }
        return (error, Simulation.shared.seconds - start)
    }

    /// Waits for the end of a task.
    static func completion(of task: URLSessionTask, _ recorder: RecordingDelegate) async -> TaskRecord {
        while recorder[task].completions == 0 { await Simulation.shared.sleep(1) }
        return recorder[task]
    }

    /// Returns bytes that differ from their neighbours.
    static func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            simulation_fill(buffer.baseAddress, buffer.count, UInt32(truncatingIfNeeded: seed))
            filled = buffer.count
        }
    }
}

extension URLError {
    /// Ferry's code for the cause.
    var ferryCode: CurlSessionError.Code? { (userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code }
}

extension SimulatedHost {
    /// A host that accepts requests and never responds.
    static var silent: SimulatedHost {
        SimulatedHost { _ in
            var response = SimulatedResponse()
            response.end = .stall(after: -1)
            return response
        }
    }
}
