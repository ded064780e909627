import Ferry
import FerryXML
import Foundation
import Testing

@Suite("Coding of serializers")
struct SerializerCodingTests {
    private func coded<Value: Codable>(_ value: Value) throws -> Value {
        let json = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        // Encoding the decoded value again shows whether anything was lost.
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try PropertyListDecoder().decode(Value.self, from: encoder.encode(json))
    }

    private var options: RequestOptions {
        RequestOptions { options in
            options.headers = ["X-B": "2", "X-A": "1", "X-B": "3"]
            options.timeoutInterval = 7.5
            options.cachePolicy = .returnCacheDataDontLoad
            options.allowsCellularAccess = false
            options.httpShouldHandleCookies = false
            options.networkServiceType = .background
            options.queryEncoding = QueryEncoding(
                arrays: .commaJoined,
                booleans: .literal,
                nulls: .omitted,
                spaces: .plus,
                dates: .millisecondsSince1970
            )
            options.stringEncoding = .utf16LittleEndian
            options.methodsEncodingParametersInURI = [.get, "PROPFIND"]
        }
    }

    @Test("A timeout that never passes is kept") func endless() throws {
        let endless = RequestOptions { $0.timeoutInterval = .infinity }
        #expect(try coded(endless).timeoutInterval == .infinity)
        #expect(try coded(RequestOptions()).timeoutInterval == nil)
    }

    private func expectSame(_ one: RequestOptions, _ other: RequestOptions) {
        #expect(one.headers == other.headers)
        #expect(one.timeoutInterval == other.timeoutInterval)
        #expect(one.cachePolicy == other.cachePolicy)
        #expect(one.allowsCellularAccess == other.allowsCellularAccess)
        #expect(one.httpShouldHandleCookies == other.httpShouldHandleCookies)
        #expect(one.networkServiceType == other.networkServiceType)
        #expect(one.queryEncoding == other.queryEncoding)
        #expect(one.stringEncoding == other.stringEncoding)
        #expect(one.methodsEncodingParametersInURI == other.methodsEncodingParametersInURI)
    }

    @Test("Request serializers are restored with all their settings, set and unset")
    func requestSerializers() throws {
        for options in [options, RequestOptions()] {
            expectSame(try coded(HTTPRequestSerializer(options: options)).options, options)
            var json = JSONRequestSerializer(options: options)
            json.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
            json.allowsFragments = true
            let jsonCopy = try coded(json)
            expectSame(jsonCopy.options, options)
            #expect(jsonCopy.outputFormatting == json.outputFormatting)
            #expect(jsonCopy.allowsFragments)
            let list = try coded(PropertyListRequestSerializer(format: .binary, options: options))
            expectSame(list.options, options)
            #expect(list.format == .binary)
        }
    }

    @Test("Closures are not archived")
    func closures() throws {
        var form = HTTPRequestSerializer()
        form.querySerializer = { _, _ in "own" }
        #expect(try coded(form).querySerializer == nil)
        #expect(try coded(JSONRequestSerializer(configureEncoder: { _ in })).configureEncoder == nil)
    }

    @Test("Response serializers are restored with all their settings")
    func responseSerializers() throws {
        let validation = Validation(statusCodes: [200, 404], contentTypes: ["application/*+json"])
        for validation in [validation, Validation.none, Validation()] {
            #expect(try coded(HTTPDataResponseSerializer(validation: validation)).validation == validation)
            let json = try coded(
                JSONResponseSerializer(
                    readingOptions: .fragmentsAllowed,
                    nullRemoval: .dictionaries,
                    validation: validation,
                    maximumBodySize: 9
                )
            )
            #expect(json.validation == validation)
            #expect(json.readingOptions == .fragmentsAllowed)
            #expect(json.nullRemoval == .dictionaries)
            #expect(json.maximumBodySize == 9)
            let text = try coded(
                StringResponseSerializer(encoding: .japaneseEUC, allowsLossyConversion: true, validation: validation)
            )
            #expect(text.validation == validation)
            #expect(text.encoding == .japaneseEUC)
            #expect(text.allowsLossyConversion)
            #expect(text.maximumBodySize == nil)
            #expect(try coded(PropertyListResponseSerializer(validation: validation)).validation == validation)
            #expect(try coded(XMLParserResponseSerializer(validation: validation)).validation == validation)
        }
    }

    @Test("An archive may lack settings, but an unknown value is refused")
    func otherArchives() throws {
        let decoder = JSONDecoder()
        let empty = try decoder.decode(RequestOptions.self, from: Data("{}".utf8))
        expectSame(empty, RequestOptions())
        for text in [#"{"cachePolicy":99}"#, #"{"queryEncoding":{"arrays":"sideways"}}"#, #"{"headers":7}"#] {
            #expect(throws: DecodingError.self) { try decoder.decode(RequestOptions.self, from: Data(text.utf8)) }
        }
    }
}
