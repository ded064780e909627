import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.ownThreads)
struct ResourceTests {
    private static let date = Date(timeIntervalSince1970: 784_111_777.5)
    private static let dateText = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let earlier = "Sun, 06 Nov 1994 08:49:36 GMT"

    private func resource(
        _ headers: LoopbackHeaders,
        method: String = "GET",
        etag: String? = "v1",
        count: Int = 100
    ) -> LoopbackResponse {
        .resource(
            .pattern(count: count),
            etag: etag,
            lastModified: Self.date,
            contentType: "x/y",
            for: LoopbackRequest(method: method, headers: headers)
        )
    }

    @Test("The whole resource has validators and announces ranges") func whole() {
        let response = resource([:])
        #expect(response.statusCode == 200)
        #expect(
            response.headers == [
                "ETag": "\"v1\"", "Last-Modified": Self.dateText, "Content-Type": "x/y", "Accept-Ranges": "bytes",
            ]
        )
        #expect(response.body.count == 100)
    }

    @Test(
        "A range yields its part or 416, or is ignored",
        arguments: [
            ("bytes=0-9", 206, "bytes 0-9/100", 10),
            ("bytes=90-", 206, "bytes 90-99/100", 10),
            ("bytes=-5", 206, "bytes 95-99/100", 5),
            ("bytes=-500", 206, "bytes 0-99/100", 100),
            ("Bytes=99-500", 206, "bytes 99-99/100", 1),
            ("bytes=0-9223372036854775807", 206, "bytes 0-99/100", 100),
            ("bytes=100-", 416, "bytes */100", 0),
            ("bytes=100-200", 416, "bytes */100", 0),
            ("bytes=-0", 416, "bytes */100", 0),
            ("bytes=5-4", 200, nil, 100),
            ("bytes=0-1,3-4", 200, nil, 100),
            ("bytes=", 200, nil, 100),
            ("bytes=-", 200, nil, 100),
            ("bytes=a-b", 200, nil, 100),
            ("items=0-1", 200, nil, 100),
            ("bytes=99999999999999999999-", 200, nil, 100),
        ] as [(String, Int, String?, Int)]
    ) func ranges(field: String, status: Int, contentRange: String?, count: Int) {
        let response = resource(["Range": field])
        #expect(response.statusCode == status)
        #expect(response.headers["Content-Range"] == contentRange)
        #expect(response.body.count == count)
        #expect(response.headers["ETag"] == "\"v1\"")
    }

    @Test("A range of an empty resource cannot be satisfied") func emptyBody() {
        #expect(resource(["Range": "bytes=0-"], count: 0).statusCode == 416)
        #expect(resource(["Range": "bytes=-1"], count: 0).statusCode == 416)
    }

    @Test(
        "If-Range allows a range only with the same strong tag or date",
        arguments: [
            ("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200), (dateText, 206), (earlier, 200), ("nonsense", 200),
        ]
    ) func ifRange(field: String, status: Int) {
        #expect(resource(["Range": "bytes=1-2", "If-Range": field]).statusCode == status)
    }

    @Test("A weak tag never allows a range") func weakIfRange() {
        #expect(resource(["Range": "bytes=1-2", "If-Range": "W/\"v1\""], etag: "W/\"v1\"").statusCode == 200)
    }

    @Test(
        "Conditions yield 304 or 412",
        arguments: [
            ("GET", ["If-None-Match": "\"v1\""], 304),
            ("HEAD", ["If-None-Match": "\"v0\", W/\"v1\""], 304),
            ("GET", ["If-None-Match": "*"], 304),
            ("PUT", ["If-None-Match": "*"], 412),
            ("GET", ["If-None-Match": "\"v2\""], 200),
            ("GET", ["If-None-Match": "\"v2\"", "If-Modified-Since": dateText], 200),
            ("GET", ["If-Modified-Since": dateText], 304),
            ("GET", ["If-Modified-Since": earlier], 200),
            ("POST", ["If-Modified-Since": dateText], 200),
            ("PUT", ["If-Match": "\"v1\""], 200),
            ("PUT", ["If-Match": "W/\"v1\""], 412),
            ("PUT", ["If-Match": "\"v2\""], 412),
            ("PUT", ["If-Unmodified-Since": dateText], 200),
            ("PUT", ["If-Unmodified-Since": earlier], 412),
            ("GET", ["If-Modified-Since": "nonsense"], 200),
            ("GET", ["If-None-Match": "\"v0\"", "If-None-Match": "\"v1\""], 304),
            ("PUT", ["If-Match": "\"v0\"", "If-Match": "\"v2\", \"v1\""], 200),
            ("PUT", ["If-Match": "\"v0\"", "If-Match": "\"v2\""], 412),
        ] as [(String, LoopbackHeaders, Int)]
    ) func conditions(method: String, headers: LoopbackHeaders, status: Int) {
        let response = resource(headers, method: method)
        #expect(response.statusCode == status)
        #expect(response.headers["ETag"] == "\"v1\"")
    }

    @Test(
        "An entity tag may contain commas and backslashes",
        arguments: [
            ("GET", "If-None-Match", #""a,b\""#, 304),
            ("GET", "If-None-Match", #""x\" , W/"a,b\","y""#, 304),
            ("GET", "If-None-Match", #""a", "b\""#, 200),
            ("PUT", "If-Match", #""a,b\""#, 200),
            ("PUT", "If-Match", #"W/"a,b\", "x""#, 412),
        ]
    ) func commas(method: String, name: String, value: String, status: Int) {
        #expect(resource([name: value], method: method, etag: #"a,b\"#).statusCode == status)
    }

    @Test("Parts of data, patterns and files are the right bytes") func bytes() throws {
        let whole = LoopbackServer.pattern(count: 300_000)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("loopback-\(UUID().uuidString)")
        try whole.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let bodies: [LoopbackResponse.Body] = [
            .data(whole), .pattern(count: 300_000), .file(file), .data(Data(7...9) + whole).dropping(3),
        ]
        let server = try LoopbackServer { request in
            .resource(bodies[Int(request.path.dropFirst()) ?? 0], for: request)
        }
        let client = try RawClient(server)
        for index in bodies.indices {
            let part = try client.exchange("GET", "/\(index)", ["Range: bytes=1000-270000"])
            #expect(part.status == 206)
            #expect(part.body == whole[1000...270_000])
            #expect(try client.exchange("GET", "/\(index)").body == whole)
        }
    }
}

extension LoopbackResponse.Body {
    /// Returns data whose indices do not start at zero.
    fileprivate func dropping(_ count: Int) -> Self {
        guard case .data(let data) = self else { return self }
        return .data(data.dropFirst(count))
    }
}
