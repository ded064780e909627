import Foundation

extension StandardRoutes {
    static let faults: [String: Route] = [
        "reset": { call in faulted(call) { .reset(afterBodyBytes: $0) } },
        "stall": { call in faulted(call) { .stall(afterBodyBytes: $0) } },
        "truncate": { call in faulted(call) { .truncate(afterBodyBytes: $0) } },
        "pause": { call in
            faulted(call) { .pause(afterBodyBytes: $0, seconds: call.seconds("ms", default: 1000)) }
        },
        "empty": { _ in .empty },
        "garbage": { _ in LoopbackResponse().faulted(.garbage(Data("\u{1}\u{2}this is not HTTP\r\n\r\n".utf8))) },
        "close-after": { _ in .text("goodbye\n").faulted(.closeAfterResponse) },
        "reset-before": { _ in LoopbackResponse().faulted(.resetBeforeHead) },
        "stall-before": { _ in LoopbackResponse().faulted(.stallBeforeHead) },
        // These fail while the body is read; if the request has none, they fail immediately.
        "upload-reset": { _ in LoopbackResponse().faulted(.resetBeforeHead) },
        "upload-stall": { _ in LoopbackResponse().faulted(.stallBeforeHead) },
        "upload-close": { _ in .empty },
    ]

    private static func faulted(
        _ call: Call,
        _ fault: (Int) -> LoopbackResponse.Fault
    ) -> LoopbackResponse {
        let count = call.number("bytes", default: 100_000)
        var response = pattern(count, for: call)
        if call.flag("chunked") { response = response.framed(.chunked) }
        if call.flag("resumable"), call.request.header("Range") != nil { return response }
        return response.faulted(fault(call.number("after", default: count / 2)))
    }
}
