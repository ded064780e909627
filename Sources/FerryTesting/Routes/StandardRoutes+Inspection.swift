extension StandardRoutes {
    static let inspection: [String: Route] = [
        "echo": { .json(encoding: LoopbackEcho($0.request)) },
        "upload": { call in
            var echo = LoopbackEcho(call.request)
            echo.body = nil
            return .json(encoding: echo)
        },
        "status": { status(of: $0) },
        // For a request with a body, the response is sent while it is read; these handlers are for other requests.
        "early": { status(of: $0) },
        "expect": { .json(encoding: LoopbackEcho($0.request)) },
        "delay": { call in
            guard let milliseconds = call.number(0) else { return badArgument }
            let seconds = TimeInterval(milliseconds) / 1000
            let echo = LoopbackResponse.json(encoding: LoopbackEcho(call.request))
            return call.request.query["where"] == "body" ? echo.delayed(body: seconds) : echo.delayed(seconds)
        },
        "response-headers": { call in
            var response = LoopbackResponse.text("ok\n", statusCode: call.number("status", default: 200))
            for item in call.request.queryItems where item.name != "status" {
                if item.name.isEqualIgnoringCase("Content-Type") { response.headers["Content-Type"] = nil }
                response.headers.add(item.name, item.value ?? "")
            }
            return response
        },
        "interim": { call in
            guard let status = call.number(0), (100...199).contains(status), status != 101 else {
                return badArgument
            }
            let fields: LoopbackHeaders = status == 103 ? ["Link": "</style.css>; rel=preload"] : [:]
            return .json(encoding: LoopbackEcho(call.request))
                .preceded(by: LoopbackResponse.Interim(statusCode: status, headers: fields))
        },
    ]

    static func bodyReading(for request: LoopbackRequest) -> LoopbackBodyReading {
        let call = Call(request)
        let after = call.number("after", default: 0)
        switch call.name {
        case "upload":
            var reading = LoopbackBodyReading.delayed(call.seconds("delay", default: 0))
            reading.bytesPerSecond = request.query["rate"].flatMap { Int($0) }
            return reading
        case "early": return .early(status(of: call), afterBytes: after)
        case "upload-reset": return .early(LoopbackResponse().faulted(.resetBeforeHead), afterBytes: after)
        case "upload-stall": return .early(LoopbackResponse().faulted(.stallBeforeHead), afterBytes: after)
        case "upload-close": return .early(.empty, afterBytes: after)
        case "expect": return call.segments.first == "417" ? .early(.status(417)) : .withoutContinue
        default: return .whole
        }
    }

    static func status(of call: Call) -> LoopbackResponse {
        guard let status = call.number(0), (200...999).contains(status) else { return badArgument }
        return .text("\(status)\n", statusCode: status)
    }
}

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
        // These fail while the body is read, or immediately if the request has none.
        "upload-reset": { _ in LoopbackResponse().faulted(.resetBeforeHead) },
        "upload-stall": { _ in LoopbackResponse().faulted(.stallBeforeHead) },
        "upload-close": { _ in .empty },
    ]

    private static func faulted(_ call: Call, _ fault: (Int) -> LoopbackResponse.Fault) -> LoopbackResponse {
        let count = call.number("bytes", default: 100_000)
        var response = pattern(count, for: call)
        if call.flag("chunked") { response = response.framed(.chunked) }
        if call.flag("resumable"), call.request.header("Range") != nil { return response }
        return response.faulted(fault(call.number("after", default: count / 2)))
    }
}
