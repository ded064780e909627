import Foundation

extension LoopbackServer {
    /// Answers a request by the built-in routes; handlers may fall back to it.
    public static func standardRoutes(_ request: LoopbackRequest) -> LoopbackResponse {
        switch request.path {
        case "/echo": .json(encoding: LoopbackEcho(request))
        default: .text("Nothing here.\n", status: 404)
        }
    }

    /// Tells how the built-in routes read bodies.
    public static func standardBodyReading(_ request: LoopbackRequest) -> LoopbackBodyReading {
        .whole
    }
}
