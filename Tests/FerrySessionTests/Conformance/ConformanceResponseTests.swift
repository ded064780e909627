import FerrySession
import FerryTesting
import Testing

/// The cases of the HTTP client conformance suite about responses: status codes, fields, codings and trailers.
@Suite(.timeLimit(.minutes(5)))
struct ConformanceResponseTests {
    private let server: LoopbackServer
    private let session = makeSession()

    init() throws { server = try ConformanceServer.start() }

    @Test(
        "A coding that the session accepts is decoded",
        arguments: [("gzip", "gzip"), ("deflate", "deflate"), ("brotli", "br")]
    )
    func coding(_ row: (path: String, coding: String)) async throws {
        let (data, response) = try await session.data(from: server.url(row.path))
        #expect(response.status == 200)
        #expect(data == ConformanceServer.plain)
        // Brotli is accepted if the process has its library.
        let accepted = server.requests.first?.header("Accept-Encoding") ?? ""
        #expect(accepted.contains(row.coding) || row.coding == "br")
        #expect(response.field("Content-Encoding") == (accepted.contains(row.coding) ? row.coding : nil))
    }

    @Test("A response without a coding is delivered as it is")
    func identity() async throws {
        let (data, response) = try await session.data(from: server.url("/identity"))
        #expect(response.status == 200)
        #expect(response.field("Content-Encoding") == nil)
        #expect(data == ConformanceServer.plain)
    }

    @Test("A status that is an error, or that no class has, is a response", arguments: [404, 999])
    func status(_ code: Int) async throws {
        let (data, response) = try await session.data(from: server.url("/\(code)"))
        #expect(response.status == code)
        #expect(data.isEmpty)
    }

    @Test("A response to HEAD has the length of a body, and none")
    func headWithLength() async throws {
        let (data, response) = try await session.data(for: Wire.request(server.url("/head_with_cl"), "HEAD"))
        #expect(response.status == 200)
        #expect(response.expectedContentLength == 1000)
        #expect(data.isEmpty)
        #expect((response as? HTTPURLResponse)?.trailerFields.isEmpty == true)
    }

    @Test("All values of a field are received, in their order")
    func multiValueHeader() async throws {
        let (_, response) = try await session.data(from: server.url("/header_multivalue"))
        let values = response.field("X-Test")?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(response.status == 200)
        #expect(values == ["one", "two"])
    }

    @Test("The fields after a body are received, with the body in memory and as a sequence", arguments: [true, false])
    func trailerRead(_ isInMemory: Bool) async throws {
        let request = URLRequest(url: server.url("/trailers"))
        let (data, response) = try await isInMemory ? session.data(for: request) : read(request)
        let trailers = try #require(response as? HTTPURLResponse).trailerFields
        #expect(response.status == 200)
        #expect(data == Data("Response body".utf8))
        #expect(trailers["X-Trailer-One"] == "first-value")
        #expect(trailers["X-Trailer-Two"] == "second-value")
        #expect(trailers["X-Checksum"] == "abc123")
    }

    private func read(_ request: URLRequest) async throws -> (Data, URLResponse) {
        let (bytes, response) = try await session.bytes(for: request)
        return (try await bytes.chunks.reduce(into: Data()) { $0 += $1 }, response)
    }
}
