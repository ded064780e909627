import Ferry
import Foundation
import Testing

@Suite("Serializers on many threads", .timeLimit(.minutes(5)))
struct SerializerConcurrencyTests {
    private static let sample: Parameters = [
        "user": ["name": "Ada Lovelace", "born": 1815, "languages": ["en", "fr"], "left": nil],
        "ratio": 0.25, "active": true, "tags": .set(["b", "a"]), "text": "日本語 é😀 \"quoted\"",
    ]
    private static let json = """
        {"active":true,"ratio":0.25,"tags":["a","b"],"text":"日本語 é😀 \\"quoted\\"",\
        "user":{"born":1815,"languages":["en","fr"],"left":null,"name":"Ada Lovelace"}}
        """
    private static let url = URL(string: "http://e.com/path")!

    @Test("One JSON serializer yields the same bytes on every thread")
    func json() {
        let serializer = JSONRequestSerializer()
        onManyThreads { _ in
            try serializer.makeRequest(method: .post, url: Self.url, parameters: Self.sample)
        } check: { request, _ in
            request.httpBody == Data(Self.json.utf8) && request.value(forHTTPHeaderField: "User-Agent") != nil
        }
    }

    @Test("Threads that change their copies of a serializer do not see each other's changes")
    func copies() {
        let shared = HTTPRequestSerializer()
        onManyThreads { index in
            var serializer = shared
            serializer.timeoutInterval = TimeInterval(index + 61)
            serializer.headers["X-Index"] = "\(index)"
            return try serializer.makeRequest(method: .post, url: Self.url, parameters: ["i": index])
        } check: { request, index in
            let (timeout, body) = (TimeInterval(index + 61), Data("i=\(index)".utf8))
            let header = request.value(forHTTPHeaderField: "X-Index")
            return request.timeoutInterval == timeout && header == "\(index)" && request.httpBody == body
        }
    }

    @Test("Many threads serialize copies of one request")
    func sharedRequest() {
        var request = URLRequest(url: Self.url)
        request.httpMethod = "PUT"
        request.setValue("shared", forHTTPHeaderField: "X-Shared")
        let shared = request
        onManyThreads { index in
            try PropertyListRequestSerializer().serialize(shared, parameters: ["i": .integer(Int64(index))])
        } check: { request, index in
            request.value(forHTTPHeaderField: "X-Shared") == "shared"
                && String(decoding: request.httpBody ?? Data(), as: UTF8.self).contains("<integer>\(index)</integer>")
        }
        #expect(shared.httpBody == nil)
    }

    @Test("One form yields streams of the same body on many threads")
    func multipart() throws {
        let directory = try TemporaryFolder()
        var form = MultipartFormData()
        try form.append(Self.sample)
        try form.append(fileURL: directory.file("f", Data(repeating: 1, count: 10_000)), name: "f")
        try form.append(length: 5, name: "s", fileName: "s") { InputStream(data: Data("hello".utf8)) }
        let shared = form
        let expected = try bytes(of: form.makeInputStream())
        onManyThreads { index in
            try bytes(of: shared.makeInputStream(), bufferSizes: [index % 100 + 1])
        } check: { body, _ in
            body == expected
        }
    }

    @Test("Only one thread can read a single-use stream")
    func oneShot() throws {
        var form = MultipartFormData()
        try form.append(inputStream: InputStream(data: Data("abc".utf8)), length: 3, name: "s", fileName: "s")
        let shared = form
        let winners = Watched(0)
        DispatchQueue.concurrentPerform(iterations: 50) { _ in
            if (try? bytes(of: shared.makeInputStream())) != nil {
                winners.change { count in count += 1 }
            }
        }
        #expect(winners.current == 1)
    }

    private func onManyThreads<Result>(
        _ work: @Sendable (Int) throws -> Result,
        check: @Sendable (Result, Int) -> Bool
    ) {
        let failures = Watched<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 500) { index in
            do {
                let result = try work(index)
                if !check(result, index) {
                    failures.change { list in list.append("\(index): \(result)") }
                }
            } catch {
                failures.change { list in list.append("\(index): \(error)") }
            }
        }
        #expect(failures.current == [])
    }
}
