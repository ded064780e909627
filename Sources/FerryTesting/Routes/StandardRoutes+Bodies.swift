extension StandardRoutes {
    static let bodies: [String: Route] = [
        "bytes": { call in
            guard let count = call.number(0) else { return badArgument }
            var response = pattern(count, for: call)
            response.bytesPerSecond = call.request.query["rate"].flatMap { Int($0) }
            return response
        },
        "cache": { call in
            var response = LoopbackResponse.resource(
                .data(Data("cached\n".utf8)),
                etag: "v1",
                contentType: "text/plain",
                for: call.request
            )
            response.headers.add("Cache-Control", "max-age=\(call.number("max-age", default: 60))")
            return response
        },
        "drip": { call in
            let count = call.number("bytes", default: 1000)
            guard count <= memoryLimit else { return badArgument }
            let pieces = pieces(of: Pattern.data(count: count, offset: 0), size: call.number("chunk", default: 100))
            let body = LoopbackResponse.Body.dripped(pieces, interval: call.seconds("interval", default: 50))
            let response = LoopbackResponse(headers: binary, body: body)
            return call.flag("chunked") ? response.framed(.chunked) : response
        },
        "chunked": { chunked($0) },
        "gzip": { .encoded(Gzip.encode, as: "gzip", $0) },
        "deflate": { call in
            .encoded(call.flag("raw") ? Deflate.encodeRaw : Deflate.encode, as: "deflate", call)
        },
        "gzip-truncated": { .encoded({ Data(Gzip.encode($0).dropLast(8 + $0.count / 2)) }, as: "gzip", $0) },
        "gzip-corrupt": { call in
            .encoded(
                { data in
                    var bytes = Gzip.encode(data)
                    // The checksum precedes the four bytes of the length.
                    bytes[bytes.count - 5] ^= 0xff
                    return bytes
                },
                as: "gzip",
                call
            )
        },
    ]

    static let binary: LoopbackHeaders = ["Content-Type": "application/octet-stream"]

    /// Returns the pattern as a resource with constant validators.
    static func pattern(_ count: Int, for call: Call) -> LoopbackResponse {
        if call.request.query["ranges"] == "0" { return .pattern(count: count) }
        return .resource(
            .pattern(count: count),
            etag: call.request.query["etag"] ?? "pattern-\(count)",
            lastModified: Date(timeIntervalSince1970: 1_600_000_000),
            for: call.request
        )
    }

    static func pieces(of data: Data, size: Int) -> [Data] {
        stride(from: 0, to: data.count, by: max(1, size)).map { data.dropFirst($0).prefix(max(1, size)) }
    }

    private static func chunked(_ call: Call) -> LoopbackResponse {
        let size = call.number("size", default: 100)
        let (count, overflows) = size.multipliedReportingOverflow(by: call.number("chunks", default: 10))
        guard !overflows, count <= memoryLimit else { return badArgument }
        let data = Pattern.data(count: count, offset: 0)
        let pieces = pieces(of: data, size: size)
        let interval = call.seconds("interval", default: 0)
        if interval > 0 {
            return LoopbackResponse(headers: binary, body: .dripped(pieces, interval: interval)).framed(.chunked)
        }
        let trailers: LoopbackHeaders =
            call.flag("trailers") ? ["X-Count": "\(count)", "X-SHA256": SHA256Hash.hash(data).hexadecimal] : [:]
        return LoopbackResponse(
            headers: binary,
            body: .chunked(pieces, trailers: trailers, chunkExtension: call.request.query["extension"])
        )
    }
}

extension LoopbackResponse {
    /// Returns a compressed pattern of `bytes=` bytes or, without that parameter, a small JSON object.
    fileprivate static func encoded(
        _ encode: (Data) -> Data,
        as coding: String,
        _ call: StandardRoutes.Call
    ) -> LoopbackResponse {
        var data = Data(StandardRoutes.json.utf8)
        var type = "application/json"
        if let count = call.request.query["bytes"].flatMap({ Int($0) }) {
            guard (0...StandardRoutes.memoryLimit).contains(count) else { return StandardRoutes.badArgument }
            data = Pattern.data(count: count, offset: 0)
            type = "application/octet-stream"
        }
        return .data(encode(data), contentType: type).adding("Content-Encoding", coding)
    }
}

extension StandardRoutes {
    static let json = #"{"name":"Ferry","tags":["a","b"],"size":3,"ratio":0.5,"nested":{"yes":true,"none":null}}"#

    static let documents: [String: Route] = [
        "json": { _ in .json(json) },
        "xml": { _ in
            .data(
                Data(
                    #"<?xml version="1.0" encoding="UTF-8"?><ferry><tag n="1">a</tag><tag n="2">b</tag></ferry>"#.utf8
                ),
                contentType: "application/xml"
            )
        },
        "plist": { _ in .data(Data(plist.utf8), contentType: "application/x-plist") },
        "html": { _ in
            .data(
                Data("<!DOCTYPE html><html><head><title>Ferry</title></head><body><p>Hello</p></body></html>".utf8),
                contentType: "text/html; charset=utf-8"
            )
        },
        "image": { call in
            let width = call.number("width", default: 8)
            let height = call.number("height", default: 8)
            guard (1...4096).contains(width), (1...4096).contains(height) else { return badArgument }
            return .data(PNG.encode(width: width, height: height), contentType: "image/png")
        },
    ]

    private static let plist = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>name</key><string>Ferry</string><key>size</key><integer>3</integer></dict></plist>

        """
}
