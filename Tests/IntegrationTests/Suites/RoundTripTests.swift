import Ferry
import FerryTesting
import FerryXML
import Testing

extension PythonTests {
    @Suite("Round trips")
    struct RoundTripTests {
        private struct Person: Codable, Sendable {
            var name = "Ada + Söhne & Co. = 100%?/雪"
            var count = 3
            var flag = true
            var empty = ""
            var tags = ["x y", "z"]
            var nested = ["key": "value"]
        }

        private static let literal: Parameters = [
            "name": "Ada + Söhne & Co. = 100%?/雪", "count": 3, "flag": true, "empty": "", "tags": ["x y", "z"],
            "nested": ["key": "value"],
        ]

        private static let fields = [
            ["count", "3"], ["empty", ""], ["flag", "1"], ["name", "Ada + Söhne & Co. = 100%?/雪"],
            ["nested[key]", "value"], ["tags[]", "x y"], ["tags[]", "z"],
        ]

        private static let value: JSONValue = [
            "name": "Ada + Söhne & Co. = 100%?/雪", "count": 3, "flag": true, "empty": "", "tags": ["x y", "z"],
            "nested": ["key": "value"],
        ]

        private static let verbs: [HTTPMethod] = [
            .get, .head, .post, .put, .patch, .delete, .options, .query, "PROPFIND",
        ]

        let manager: HTTPSessionManager

        init() throws {
            manager = HTTPSessionManager(baseURL: try PythonServer.shared().url, configuration: .ephemeral)
        }

        // MARK: - Requests

        @Test("Each verb arrives correctly with each request serializer", arguments: verbs, [true, false])
        func everySerializer(method: HTTPMethod, isEncodable: Bool) async throws {
            let parameters = isEncodable ? Parameters(encoding: Person()) : Self.literal
            let serializers: [(any ConfigurableRequestSerializer, type: String)] = [
                (.form, "application/x-www-form-urlencoded"), (.json, "application/json"),
                (.propertyList, "application/x-plist"),
                (PropertyListRequestSerializer(format: .binary), "application/x-plist"),
            ]
            for (serializer, type) in serializers {
                manager.requestSerializer = serializer
                let request = Request(method, "some/path", serializer: .pythonEcho)
                let echo = try await manager.send(request.parameters(parameters).headers(["X-Own": "ü"]))
                #expect(echo.method == method.rawValue)
                #expect(echo.path == "/some/path")
                #expect(echo["X-Own"] != nil)
                if [.get, .head, .delete].contains(method) {
                    #expect(echo.query == Self.fields)
                    #expect(echo.length == 0)
                    #expect(echo["Content-Type"] == nil)
                } else {
                    #expect(echo.query == [])
                    #expect(echo["Content-Type"] == type)
                    #expect(echo.form == (type.hasSuffix("urlencoded") ? Self.fields : nil))
                    #expect(echo.json == (type.hasSuffix("urlencoded") ? nil : Self.value))
                }
            }
        }

        @Test("Without parameters a form has an empty body, and JSON has no body", arguments: verbs)
        func noParameters(method: HTTPMethod) async throws {
            let form = try await manager.send(Request(method, "x?a=b", serializer: .pythonEcho))
            #expect(form.query == [["a", "b"]])
            #expect(form.length == 0)
            #expect(form.form == ([.get, .head, .delete].contains(method) ? nil : []))
            manager.requestSerializer = .json
            let json = try await manager.send(Request(method, "x?a=b", serializer: .pythonEcho))
            #expect(json["Content-Type"] == nil)
            #expect(json.length == 0)
        }

        @Test(
            "A form with every kind of part is parsed by another parser",
            arguments: [.post, .put, .patch, .delete, "PROPFIND"] as [HTTPMethod]
        )
        func multipart(method: HTTPMethod) async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).png")
            let contents = LoopbackServer.pattern(count: 300_000)
            try contents.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let bytes = Data(0...255)
            let lines = Data("a\r\n\r\nb\n\rc\r\n--".utf8)
            var request = Request(method, "form", serializer: .pythonEcho).parameters(Self.literal)
            request.multipartForm = { form in
                form.append("text", name: "field \"quoted\"")
                form.append(Data(), name: "nothing")
                try form.append(bytes, name: "data", fileName: "söhne \"1\".txt")
                try form.append(lines, name: "lines", fileName: "a\r\nb", mimeType: "text/x-odd")
                try form.append(fileURL: file, name: "file")
                try form.append(length: 3, name: "made", fileName: "made.cer") { InputStream(data: Data("xyz".utf8)) }
                try form.append(
                    inputStream: InputStream(data: Data("once".utf8)),
                    length: 4,
                    name: "once",
                    fileName: "once"
                )
                try form.append(headers: ["X-Own": "header"], body: Data("own".utf8))
            }
            let echo = try await manager.send(request)
            #expect(echo.method == method.rawValue)
            #expect(echo["Transfer-Encoding"] == nil)
            #expect(echo["Content-Length"] == "\(echo.length)")
            let parts = try #require(echo.parts)
            // The parameters precede the other parts, as form fields.
            let count = Self.fields.count
            #expect(
                parts.prefix(count).map { [$0.name ?? "", String(decoding: $0.body, as: UTF8.self)] } == Self.fields
            )
            let rest = parts.dropFirst(count)
            #expect(
                rest.map(\.name) == ["field %22quoted%22", "nothing", "data", "lines", "file", "made", "once", nil]
            )
            let png = file.lastPathComponent
            #expect(
                rest.map(\.filename)
                    == [nil, nil, "söhne %221%22.txt", "a%0D%0Ab", png, "made.cer", "once", nil]
            )
            #expect(
                rest.map { $0["Content-Type"] } == [
                    nil, nil, "text/plain", "text/x-odd", "image/png", "application/x-x509-ca-cert",
                    "application/octet-stream", nil,
                ]
            )
            let bodies = [
                Data("text".utf8), Data(), bytes, lines, contents, Data("xyz".utf8), Data("once".utf8),
                Data("own".utf8),
            ]
            for (part, body) in zip(rest, bodies) {
                #expect(Contents.match(part.body, body), "\(part.name ?? "own")")
            }
            #expect(rest.last?["X-Own"] == "header")
        }

        @Test("A form written to a file equals the streamed form")
        func multipartFile() async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).form")
            defer { try? FileManager.default.removeItem(at: file) }
            var form = MultipartFormData()
            try form.append(Data(0...255), name: "data", fileName: "x.bin")
            var request = URLRequest(url: try PythonServer.shared().url)
            request.httpMethod = "POST"
            let written = try await form.apply(to: request, writingBodyTo: file)
            let response = await manager.response(for: written, fromFile: file, serializer: .pythonEcho)
            let parts = try #require(response.value?.parts)
            #expect(parts.map(\.name) == ["data"])
            #expect(parts.map(\.body) == [Data(0...255)])
        }

        @Test("A body of unknown length arrives in chunks")
        func chunked() async throws {
            var request = URLRequest(url: try PythonServer.shared().url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBodyStream = InputStream(data: Data(#"{"a":[1]}"#.utf8))
            let response = await manager.response(for: request, serializer: .pythonEcho)
            #expect(response.value?["Transfer-Encoding"] == "chunked")
            #expect(response.value?.json == ["a": [1]])
        }

        // MARK: - Responses

        private struct Sample: Decodable, Sendable, Equatable {
            var name: String
            var numbers: [Double]
            var nested: [String: Bool]
        }

        private static let sample = Sample(name: "Zoë", numbers: [1, 2.5, -3], nested: ["yes": true])

        @Test("Each response serializer reads what another writer wrote")
        func responses() async throws {
            #expect(try await manager.get("sample/json", as: Sample.self) == Self.sample)
            let json: JSONValue = try await manager.send(.get("sample/json", serializer: .json))
            #expect(json == ["name": "Zoë", "numbers": [1, 2.5, -3], "nested": ["yes": true]])
            for path in ["sample/plist", "sample/binary-plist"] {
                let list = try await manager.send(.get(path, serializer: PropertyListResponseSerializer()))
                let expected: PropertyListValue = .dictionary([
                    "name": .string("Zoë"), "numbers": .array([.integer(1), .real(2.5), .integer(-3)]),
                    "nested": .dictionary(["yes": .bool(true)]),
                ])
                #expect(list == expected, "\(path)")
            }
            #expect(try await manager.send(.get("sample/latin-1", serializer: .string)) == "Zoë")
            let document = try await manager.send(.get("sample/xml", serializer: .xmlDocument))
            let element = try document.makeDocument().rootElement()
            #expect(element?.name == "a")
            #expect(element?.attribute(forName: "b")?.stringValue == "Zoë")
            #expect(try await manager.send(.get("sample/bytes", serializer: .data)) == Data(0...255))
            let compound = CompoundResponseSerializer<any Sendable>([
                JSONResponseSerializer().erased(), PropertyListResponseSerializer().erased(),
            ])
            #expect(try await manager.send(.get("sample/plist", serializer: compound)) is PropertyListValue)
            #expect(try await manager.send(.get("sample/bytes", serializer: compound)) is Data)
        }

        @Test("A response of another type is refused, with its body in the error")
        func refusals() async throws {
            let response = await manager.response(for: .get("sample/latin-1", serializer: .json))
            #expect(response.value == nil)
            #expect(response.error?.code == .unacceptableContentType)
            #expect(response.error?.data == Data("Zo\u{EB}".unicodeScalars.map { UInt8($0.value) }))
        }
    }
}
