import FerryFormats
import Foundation
import Testing

@Suite("Multipart on the wire")
struct MultipartWireTests {
    private func text(_ form: MultipartFormData) throws -> String {
        String(decoding: try bytes(of: form.makeInputStream()), as: UTF8.self)
    }

    @Test("A form of every kind of part, byte for byte")
    func wire() throws {
        let directory = try TemporaryFolder()
        let certificate = try directory.file("ca.cer", Data("CERT".utf8))
        var form = try MultipartFormData(boundary: "Boundary+0123456789ABCDEF")
        try form.append(["user": ["name": "Ada"], "tags": ["x"]])
        form.append("plain", name: "text")
        form.append(Data([0x00, 0xFF]), name: "raw")
        try form.append(Data("{}".utf8), name: "json", fileName: "a.json")
        try form.append(Data("?".utf8), name: "typed", fileName: "a", mimeType: "x/y; z=1")
        try form.append(fileURL: certificate, name: "cert")
        try form.append(fileURL: certificate, name: "renamed", fileName: "other.bin", mimeType: "a/b")
        try form.append(length: 3, name: "made", fileName: "s.txt") { InputStream(data: Data("abc".utf8)) }
        try form.append(inputStream: InputStream(data: Data("once!".utf8)), length: 4, name: "once", fileName: "noext")
        try form.append(headers: ["X-First": "1", "Content-ID": "<2>"], body: Data("own".utf8))
        try form.append(headers: [], body: Data())
        let expected = """
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="tags[]"

            x
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="user[name]"

            Ada
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="text"

            plain
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="raw"

            RAW
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="json"; filename="a.json"
            Content-Type: application/json

            {}
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="typed"; filename="a"
            Content-Type: x/y; z=1

            ?
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="cert"; filename="ca.cer"
            Content-Type: application/x-x509-ca-cert

            CERT
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="renamed"; filename="other.bin"
            Content-Type: a/b

            CERT
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="made"; filename="s.txt"
            Content-Type: text/plain

            abc
            --Boundary+0123456789ABCDEF
            Content-Disposition: form-data; name="once"; filename="noext"
            Content-Type: application/octet-stream

            once
            --Boundary+0123456789ABCDEF
            X-First: 1
            Content-ID: <2>

            own
            --Boundary+0123456789ABCDEF


            --Boundary+0123456789ABCDEF--

            """
        var wire = Data(expected.replacing("\n", with: "\r\n").utf8)
        let place = try #require(wire.firstRange(of: Data("RAW".utf8)))
        wire.replaceSubrange(place, with: [0x00, 0xFF])
        #expect(form.contentLength == Int64(wire.count))
        #expect(form.count == 12)
        #expect(try bytes(of: form.makeInputStream()) == wire)
    }

    @Test("Header fields of a part are sent as they are, also those that descriptions leave out")
    func fields() throws {
        var form = try MultipartFormData(boundary: "B")
        let fields: HTTPHeaders = [
            "Authorization": "Bearer a", "X-Api-Key": "b", "Set-Cookie": "c=d",
            "Content-Location": "https://ada:pw@example.com/x?X-Amz-Signature=e&token=f",
        ]
        try form.append(headers: fields, body: Data("x".utf8))
        #expect(
            try text(form) == """
                --B\r
                Authorization: Bearer a\r
                X-Api-Key: b\r
                Set-Cookie: c=d\r
                Content-Location: https://ada:pw@example.com/x?X-Amz-Signature=e&token=f\r
                \r
                x\r
                --B--\r

                """
        )
    }

    @Test(
        "Names cannot break out of their quotes or their line",
        arguments: [
            ("a\"b", "a%22b"), ("a\r\nX: y", "a%0D%0AX: y"), ("a\n", "a%0A"), ("日本 é😀", "日本 é😀"),
            ("a\\b;c=d", "a\\b;c=d"),
            ("100%", "100%"), ("a\u{0}b", "a%00b"), ("", ""),
        ]
    )
    func escaping(name: String, expected: String) throws {
        var form = try MultipartFormData(boundary: "B")
        try form.append(Data("x".utf8), name: name, fileName: name, mimeType: "a/b")
        #expect(
            try text(form) == """
                --B\r
                Content-Disposition: form-data; name="\(expected)"; filename="\(expected)"\r
                Content-Type: a/b\r
                \r
                x\r
                --B--\r

                """
        )
    }

    @Test("Headers and types with line breaks are refused")
    func invalidHeaders() throws {
        var form = MultipartFormData()
        let refused = RequestSerializationError.Code.invalidHeader
        var error = #expect(throws: RequestSerializationError.self) {
            try form.append(Data(), name: "a", fileName: "b", mimeType: "a/b\r\nX: y")
        }
        #expect(error?.code == refused)
        error = #expect(throws: RequestSerializationError.self) { try form.append(headers: ["a b": "c"], body: Data()) }
        #expect(error?.code == refused)
        #expect(form.isEmpty)
        #expect(form.contentLength == 0)
    }

    @Test("Boundaries are random, in AFNetworking's form")
    func randomBoundary() throws {
        let boundaries = Set((0..<100).map { _ in MultipartFormData().boundary })
        #expect(boundaries.count == 100)
        for boundary in boundaries {
            #expect(boundary.wholeMatch(of: /Boundary\+[0-9A-F]{16}/) != nil)
        }
        #expect(try MultipartFormData(boundary: "a:b c").contentType == "multipart/form-data; boundary=\"a:b c\"")
        #expect(try MultipartFormData(boundary: "a+b").contentType == "multipart/form-data; boundary=a+b")
    }

    @Test(
        "Boundaries that RFC 2046 does not allow are refused",
        arguments: ["", "a\r\nb", "a ", "é", "a\"b", String(repeating: "a", count: 71)]
    )
    func invalidBoundary(boundary: String) throws {
        let error = try #require(throws: RequestSerializationError.self) { try MultipartFormData(boundary: boundary) }
        #expect(error.code == .invalidMultipart)
    }

    @Test("Negative and overflowing lengths are refused", arguments: [-1, .min, .max, .max - 10] as [Int64])
    func invalidLength(length: Int64) throws {
        var form = MultipartFormData()
        form.append("x", name: "x")
        let before = form.contentLength
        let error = try #require(throws: RequestSerializationError.self) {
            try form.append(length: length, name: "a", fileName: "b") { InputStream(data: Data()) }
        }
        #expect(error.code == .invalidMultipart)
        #expect(form.contentLength == before)
    }

    @Test("Two lengths whose sum overflows are refused")
    func overflow() throws {
        var form = MultipartFormData()
        try form.append(length: .max / 2, name: "a", fileName: "b") { InputStream(data: Data()) }
        #expect(throws: RequestSerializationError.self) {
            try form.append(length: .max / 2 + 1, name: "a", fileName: "b") { InputStream(data: Data()) }
        }
        for _ in 0..<100 {
            form.append("more", name: "m")
        }
        #expect(form.contentLength > .max / 2)
    }

    @Test("A form without parts has no body and leaves the request unchanged")
    func noParts() throws {
        let form = MultipartFormData()
        #expect(form.contentLength == 0)
        #expect(try bytes(of: form.makeInputStream()) == Data())
        var request = URLRequest(url: try #require(URL(string: "http://e.com")))
        request.httpBody = Data("own".utf8)
        let applied = try form.apply(to: request)
        #expect(applied == request)
        #expect(applied.httpBody == Data("own".utf8))
        #expect(applied.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test("Applying sets type, exact length and a new stream")
    func apply() throws {
        var request = URLRequest(url: try #require(URL(string: "http://e.com")))
        request.httpMethod = "POST"
        request.httpBody = Data("own".utf8)
        request.setValue("text/plain", forHTTPHeaderField: "content-type")
        var form = try MultipartFormData(boundary: "B")
        form.append("x", name: "x")
        let first = try form.apply(to: request)
        let second = try form.apply(to: request)
        #expect(first.value(forHTTPHeaderField: "Content-Type") == "multipart/form-data; boundary=B")
        let firstBytes = try bytes(of: #require(first.httpBodyStream))
        #expect(first.value(forHTTPHeaderField: "Content-Length") == "\(firstBytes.count)")
        #expect(first.httpBody == nil)
        #expect(try bytes(of: #require(second.httpBodyStream)) == firstBytes)
        #expect(request.httpBody == Data("own".utf8))
    }
}
