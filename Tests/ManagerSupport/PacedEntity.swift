import FerryTesting
import Foundation
import TestSupport

/// An entity that supports ranges, and can stall after a number of bytes.
package final class PacedEntity: Sendable {
    package struct State: Sendable {
        package var tag: String? = "\"v1\""
        package var modified: String?
        package var offset = 0
        package var count: Int
        /// The number of bytes after which the next responses stall; nil for none.
        package var stopsAfter: Int?
        package var answer: (@Sendable (LoopbackRequest) -> LoopbackResponse)?
    }

    package let state: Watched<State>

    package init(count: Int, stopsAfter: Int? = nil) {
        state = Watched(State(count: count, stopsAfter: stopsAfter))
    }

    /// The current body of the entity.
    package var body: Data {
        let state = state.current
        return LoopbackServer.pattern(count: state.count, offset: state.offset)
    }

    package var handler: LoopbackServer.Handler {
        { request in
            let state = self.state.current
            if let answer = state.answer { return answer(request) }
            return Self.respond(state, request)
        }
    }

    package static func respond(_ state: State, _ request: LoopbackRequest) -> LoopbackResponse {
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
            response.statusCode = 416
            response.headers.add("Content-Range", "bytes */\(state.count)")
            response.body = .data(Data())
        } else if first > 0 {
            response.statusCode = 206
            response.headers.add("Content-Range", "bytes \(first)-\(state.count - 1)/\(state.count)")
        }
        if let tag = state.tag { response.headers.add("ETag", tag) }
        if let modified = state.modified { response.headers.add("Last-Modified", modified) }
        if let stop = state.stopsAfter { response = response.faulted(.stall(afterBodyBytes: stop)) }
        return response
    }
}
