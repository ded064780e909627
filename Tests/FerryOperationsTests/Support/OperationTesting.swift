import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

/// Returns a manager for operations that posts its notifications to a separate center.
func makeOperationManager(
    _ configuration: URLSessionConfiguration = .ephemeral,
    transport: SessionTransport = .curl
) -> SessionManager {
    let manager = SessionManager(configuration: configuration, transport: transport)
    manager.notificationCenter = NotificationCenter()
    manager.notificationQueue = DispatchQueue(label: "notifications")
    return manager
}

extension OperationQueue {
    /// Adds operations without waiting.
    ///
    /// Foundation's method cannot be called from asynchronous functions, as it may block.
    func add(_ operations: [Operation]) {
        addOperations(operations, waitUntilFinished: false)
    }
}

extension RequestOperation {
    /// Waits until the operation has finished and its completions have run.
    func settled() async throws {
        let isThrough = Watched(false)
        let note: @Sendable (RequestOperation) -> Void = { _ in isThrough.change { $0 = true } }
        guard record.withLock({ $0.addObserver(note) }) else { return #expect(isFinished) }
        try await isThrough.wait { $0 }
    }

    /// Waits until at least that many bytes have arrived.
    func hasReceived(_ count: Int64) async throws {
        try await eventually { self.byteCount >= count }
    }
}

/// An entity that supports ranges, and can stall after a number of bytes.
final class PacedEntity: Sendable {
    struct State: Sendable {
        var tag: String? = "\"v1\""
        var modified: String?
        var offset = 0
        var count: Int
        /// The number of bytes after which the next responses stall; nil for none.
        var stopsAfter: Int?
        var answer: (@Sendable (LoopbackRequest) -> LoopbackResponse)?
    }

    let state: Watched<State>

    init(count: Int, stopsAfter: Int? = nil) {
        state = Watched(State(count: count, stopsAfter: stopsAfter))
    }

    /// The current body of the entity.
    var body: Data {
        let state = state.current
        return LoopbackServer.pattern(count: state.count, offset: state.offset)
    }

    var handler: LoopbackServer.Handler {
        { request in
            let state = self.state.current
            if let answer = state.answer { return answer(request) }
            return Self.respond(state, request)
        }
    }

    static func respond(_ state: State, _ request: LoopbackRequest) -> LoopbackResponse {
        var first = 0
        let range = request.header("Range")?.dropFirst("bytes=".count).dropLast()
        let condition = request.header("If-Range")
        if let range, let asked = Int(range), condition != nil, condition == state.tag ?? state.modified {
            first = asked
        }
        var response = LoopbackResponse(
            headers: ["Content-Type": "application/octet-stream", "Accept-Ranges": "bytes"],
            body: .pattern(count: max(0, state.count - first), offset: state.offset + first)
        )
        if first >= state.count, first > 0 {
            response.status = 416
            response.headers.add("Content-Range", "bytes */\(state.count)")
            response.body = .data(Data())
        } else if first > 0 {
            response.status = 206
            response.headers.add("Content-Range", "bytes \(first)-\(state.count - 1)/\(state.count)")
        }
        if let tag = state.tag { response.headers.add("ETag", tag) }
        if let modified = state.modified { response.headers.add("Last-Modified", modified) }
        if let stop = state.stopsAfter { response = response.faulted(.stall(afterBodyBytes: stop)) }
        return response
    }
}
