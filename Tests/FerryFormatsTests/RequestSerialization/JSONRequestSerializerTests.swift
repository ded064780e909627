import FerryFormats
import Foundation
import Testing

@Suite("JSON request serializer")
struct JSONRequestSerializerTests {
    private let serializer = JSONRequestSerializer()

    private func request(_ method: HTTPMethod) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://e.com/path")))
        request.httpMethod = method.rawValue
        return request
    }

    private func body(_ parameters: Parameters, by serializer: JSONRequestSerializer? = nil) throws -> String {
        let result = try (serializer ?? self.serializer).serialize(request(.post), parameters: parameters)
        return String(decoding: try #require(result.httpBody), as: UTF8.self)
    }

    @Test(
        "Dictionaries and arrays become JSON with sorted keys",
        arguments: [
            (["b": [1, 2.5, true, nil], "a": ["x": "y"]], #"{"a":{"x":"y"},"b":[1,2.5,true,null]}"#),
            ([1, "two"], #"[1,"two"]"#),
            ([:], "{}"),
            ([], "[]"),
            (["s": .set([2, 1])], #"{"s":[1,2]}"#),
            (
                ["u": .unsignedInteger(.max), "i": .integer(.min)],
                #"{"i":-9223372036854775808,"u":18446744073709551615}"#
            ),
            (["t": "é日😀\"\n"], #"{"t":"é日😀\"\n"}"#),
            (["d": .data(Data([0xFF]))], #"{"d":"\/w=="}"#),
        ] as [(Parameters, String)]
    )
    func values(parameters: Parameters, expected: String) throws {
        #expect(try body(parameters) == expected)
    }

    @Test("The content type is set unless the request has one")
    func contentType() throws {
        var request = try request(.post)
        #expect(
            try serializer.serialize(request, parameters: [:]).value(forHTTPHeaderField: "Content-Type")
                == "application/json"
        )
        request.setValue("application/vnd.api+json", forHTTPHeaderField: "content-type")
        #expect(
            try serializer.serialize(request, parameters: [:]).value(forHTTPHeaderField: "Content-Type")
                == "application/vnd.api+json"
        )
    }

    @Test("Without parameters only the default headers are set, and no body or type")
    func noParameters() throws {
        let result = try serializer.serialize(request(.post), parameters: nil)
        #expect(result.httpBody == nil)
        #expect(result.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(result.value(forHTTPHeaderField: "User-Agent") != nil)
    }

    @Test("GET, HEAD and DELETE get a query", arguments: [.get, .head, .delete] as [HTTPMethod])
    func uri(method: HTTPMethod) throws {
        let result = try serializer.serialize(request(method), parameters: ["a": [1]])
        #expect(result.url?.query == "a%5B%5D=1")
        #expect(result.httpBody == nil)
        #expect(result.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test("DELETE sends a body if configured so")
    func deleteBody() throws {
        let serializer = JSONRequestSerializer.json { options in options.methodsEncodingParametersInURI = [.get] }
        #expect(try serializer.serialize(request(.delete), parameters: ["a": 1]).httpBody == Data(#"{"a":1}"#.utf8))
    }

    @Test("Encodable values are encoded with the serializer's encoder and its strategies")
    func encodable() throws {
        struct Event: Encodable {
            let startDate = Date(timeIntervalSince1970: 0)
            let name = "x"
            let note: String? = nil
        }
        var serializer = JSONRequestSerializer { encoder in
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
        }
        #expect(
            try body(Parameters(encoding: Event()), by: serializer)
                == #"{"name":"x","start_date":"1970-01-01T00:00:00Z"}"#
        )
        // The date strategy applies to dictionaries too; their keys are data and stay unchanged.
        #expect(
            try body(["startDate": .date(Date(timeIntervalSince1970: 0))], by: serializer)
                == #"{"startDate":"1970-01-01T00:00:00Z"}"#
        )
        serializer.outputFormatting = [.sortedKeys, .prettyPrinted]
        #expect(try body(["a": 1], by: serializer) == "{\n  \"a\" : 1\n}")
    }

    @Test(
        "Parameters that are not valid JSON are AFNetworking's error",
        arguments: [
            "text", 1, true, Parameters(ParameterValue.null), ["a": .double(.nan)], ["a": [.double(.infinity)]],
            ["a": .decimal(.nan)],
        ] as [Parameters]
    )
    func invalid(parameters: Parameters) throws {
        let error = try #require(throws: RequestSerializationError.self) {
            try serializer.serialize(request(.post), parameters: parameters)
        }
        #expect(error.code == .invalidParameters)
        #expect(error.failingURL == "http://e.com/path")
        let bridged = error as NSError
        #expect(bridged.domain == "com.alamofire.error.serialization.request")
        #expect(bridged.code == -1016)
        let reason = try #require(bridged.localizedFailureReason)
        #expect(reason.hasPrefix("The `parameters` argument is not valid JSON"))
        if error.underlyingError != nil { #expect(reason.contains(/JSON: a(\[0\])?: [A-Z]/)) }
    }

    @Test("No error contains a value that cannot be encoded", arguments: [true, false])
    func secrets(isNested: Bool) throws {
        struct Login: Encodable, Sendable {
            var password = "hunter2"
            var isNested: Bool
            func encode(to encoder: any Encoder) throws {
                guard isNested else { return }
                let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "no login")
                throw EncodingError.invalidValue(self, context)
            }
        }
        let parameters = Parameters(encoding: ["user": [Login(isNested: isNested)]])
        let top = Parameters(encoding: Login(isNested: false))
        let error = try #require(throws: RequestSerializationError.self) {
            try serializer.serialize(request(.post), parameters: isNested ? parameters : top)
        }
        let network = NetworkError(transport: error)
        let texts = [
            network.message, "\(network)", String(reflecting: network), network.localizedDescription,
            "\(network as NSError)", "\(network.nsError)", "\(error)", String(reflecting: error),
        ]
        for text in texts { #expect(!text.contains("hunter2")) }
        if isNested { #expect(network.message.contains("user[0]: no login")) }
    }

    @Test("Fragments are allowed if configured so")
    func fragments() throws {
        var serializer = serializer
        serializer.allowsFragments = true
        #expect(try body("text", by: serializer) == #""text""#)
        #expect(try body(Parameters(ParameterValue.null), by: serializer) == "null")
    }
}
