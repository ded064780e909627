import FerryFormats
import Foundation
import Testing

/// Prints how long serialization takes; results are checked, durations are not.
@Suite("Serialization performance", .slow, .serialized, .timeLimit(.minutes(5)))
struct SerializerPerformanceTests {
    private let url = URL(string: "http://e.com/path")!
    private let parameters: Parameters = [
        "user": ["name": "Ada Lovelace", "languages": ["en", "fr"]], "ratio": 0.25, "active": true, "page": 7,
    ]

    private func measure(_ name: String, count: Int, _ body: () throws -> Void) rethrows {
        let elapsed = try ContinuousClock().measure { for _ in 0..<count { try body() } }
        print("performance: \(name): \(elapsed / count) each")
    }

    @Test("Requests")
    func requests() throws {
        var made: [URLRequest] = []
        try measure("GET with query", count: 2000) {
            made.append(try HTTPRequestSerializer.form.makeRequest(method: .get, url: url, parameters: parameters))
        }
        try measure("POST with JSON", count: 2000) {
            made.append(try JSONRequestSerializer.json.makeRequest(method: .post, url: url, parameters: parameters))
        }
        #expect(made.count == 4000)
    }

    @Test("Escaping a million characters")
    func escaping() {
        let text = String(repeating: "日本語 é", count: 200_000)
        var escaped = ""
        measure("percent-escaping \(text.utf8.count) bytes", count: 1) { escaped = QueryEncoding.percentEscape(text) }
        #expect(escaped.hasPrefix("%E6%97%A5"))
    }

    @Test("Reading a body of 256 MiB")
    func multipart() throws {
        let directory = try TemporaryFolder()
        let file = try directory.file("large.bin", Data())
        #expect(truncate(file.path, 256 << 20) == 0)
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        var total = 0
        for size in [16_384, 65_536, 1 << 20] {
            measure("256 MiB of multipart in buffers of \(size)", count: 1) {
                let stream = form.makeInputStream()
                stream.open()
                var buffer = [UInt8](repeating: 0, count: size)
                while case let count = stream.read(&buffer, maxLength: size), count > 0 {
                    total += count
                }
            }
        }
        #expect(total == 3 * Int(form.contentLength))
    }
}
