import FerrySession
import FerryTesting
import Testing

/// The bodies of the requests that protocol classes receive.
@Suite("Bodies of protocol classes", .timeLimit(.minutes(5)))
struct ProtocolBodyTests {
    private let session = makeSession { $0.protocolClasses = [ScriptedProtocol.self] }

    @Test("A body of data can be read as data and as a stream, also repeatedly", arguments: [true, false])
    func dataBody(_ isUpload: Bool) async throws {
        let body = Data("hello, protocol class".utf8)
        let read = Watched<[Data?]>([])
        let url = ScriptedProtocol.script { loader in
            read.append(loader.request.httpBody)
            // Some readers close the stream, and others leave it at its end.
            for closes in [true, false, true] { read.append(Self.content(of: loader.request, closes: closes)) }
            var changed = loader.request
            changed.setValue("1", forHTTPHeaderField: "X-Changed")
            read.append(Self.content(of: changed, closes: true))
            loader.respond()
            loader.finish()
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        if isUpload {
            _ = try await session.upload(for: request, from: body)
        } else {
            request.httpBody = body
            _ = try await session.data(for: request)
        }
        #expect(read.current == [body, body, body, body, body])
    }

    @Test("A request has no stream without a body, and a body from a file or a stream only as a stream")
    func otherBodies() async throws {
        let body = Data("content".utf8)
        let read = Watched<[Data?]>([])
        let url = ScriptedProtocol.script { loader in
            #expect(loader.request.httpBody ?? Data() == Data())
            read.append(Self.content(of: loader.request, closes: true))
            loader.respond()
            loader.finish()
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        _ = try await session.data(for: request)
        _ = try await session.upload(for: request, from: Data())
        let file = try TemporaryFile(body)
        _ = try await session.upload(for: request, fromFile: file.url)
        request.httpBodyStream = InputStream(data: body)
        _ = try await session.data(for: request)
        #expect(read.current == [nil, nil, body, body])
    }

    @Test("A body that a redirect of the network has dropped does not come back in a class")
    func droppedBody() async throws {
        let read = Watched<[Data?]>([])
        let target = ScriptedProtocol.script { loader in
            read.append(loader.request.httpBody)
            read.append(Self.content(of: loader.request, closes: true))
            loader.respond()
            loader.finish()
        }
        let server = try LoopbackServer { request in
            request.path == "/" ? .redirect(to: "/next", statusCode: 303) : .redirect(to: target.absoluteString)
        }
        var request = Wire.request(server.url("/"), "POST")
        request.httpBody = Data("secret".utf8)
        _ = try await session.data(for: request)
        #expect(read.current == [nil, nil])
        #expect(server.requests.map(\.method) == ["POST", "GET"])
    }

    @Test("A stream that the network has read is not given to a class") func readStream() async throws {
        let target = ScriptedProtocol.script { $0.respond() }
        let server = try LoopbackServer { _ in .redirect(to: target.absoluteString, statusCode: 307) }
        var request = Wire.request(server.url("/"), "POST")
        request.httpBodyStream = InputStream(data: Data("content".utf8))
        let error = await Wire.error { try await session.data(for: request) }
        #expect(error?.code == .requestBodyStreamExhausted)
        #expect(ScriptedProtocol.starts(target) == 0)
    }

    @Test("The stream is that of the latest body") func changedBody() async throws {
        let read = Watched<[Data?]>([])
        let (other, streamed) = (Data("other".utf8), Data("streamed".utf8))
        let url = ScriptedProtocol.script { loader in
            var changed = loader.request
            changed.setValue("1", forHTTPHeaderField: "X-Changed")
            changed.httpBodyStream?.open()
            changed.httpBody = other
            read.append(Self.content(of: changed, closes: true))
            changed.httpBody = nil
            read.append(Self.content(of: changed, closes: true))
            changed.httpBodyStream = InputStream(data: streamed)
            read.append(changed.httpBody)
            read.append(Self.content(of: changed, closes: true))
            loader.respond()
            loader.finish()
        }
        _ = try await session.upload(for: Wire.request(url, "POST"), from: Data("body".utf8))
        #expect(read.current == [other, nil, nil, streamed])
    }

    @Test("A request with a body is archived as one of FoundationNetworking's") func archived() async throws {
        let requests = Watched<[URLRequest]>([])
        let url = ScriptedProtocol.keeping(requests)
        _ = try await session.upload(for: Wire.request(url, "POST"), from: Data("body".utf8))
        let request = try #require(requests.current.first)
        #expect(request.httpBodyStream != nil)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: request as NSURLRequest,
            requiringSecureCoding: false
        )
        #expect(!String(decoding: archive, as: UTF8.self).contains("ProtocolRequest"))
    }

    @Test("A class may forward its request to a server, which redirects it, with its body", arguments: [307, 302])
    func forwarded(_ status: Int) async throws {
        let server = try LoopbackServer { request in
            request.path == "/"
                ? .redirect(to: "/next", statusCode: status) : .text("\(request.method) \(request.bodyText ?? "")")
        }
        let url = ScriptedProtocol.script { [url = server.url] loader in
            var forwarded = loader.request
            forwarded.url = url
            let box = Unchecked(loader)
            CurlSession.shared.dataTask(with: forwarded) { data, _, _ in
                box.value.respond()
                box.value.load(String(decoding: data ?? Data(), as: UTF8.self))
                box.value.finish()
            }.resume()
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let (data, _) = try await session.upload(for: request, from: Data("body".utf8))
        #expect(String(decoding: data, as: UTF8.self) == (status == 307 ? "POST body" : "GET "))
        #expect(server.requests.first?.header("Content-Length") == "4")
    }

    @Test("A request with a body is equal to the one that the task was made with") func equality() async throws {
        let requests = Watched<[URLRequest]>([])
        var request = URLRequest(url: ScriptedProtocol.keeping(requests))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        _ = try await session.data(for: request)
        let kept = try #require(requests.current.first)
        #expect(kept.httpBodyStream != nil)
        #expect(kept == request && kept.hashValue == request.hashValue)
        var copy = kept
        copy.timeoutInterval = 5
        #expect(kept == copy && kept.hashValue == copy.hashValue)
        copy.httpMethod = "PUT"
        #expect(kept != copy)
    }

    /// Reads the stream of a request as long as it has bytes.
    private static func content(of request: URLRequest, closes: Bool) -> Data? {
        guard let stream = request.httpBodyStream else { return nil }
        stream.open()
        defer { if closes { stream.close() } }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 7)
        while stream.hasBytesAvailable {
            let count = stream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { break }
            content.append(contentsOf: buffer.prefix(count))
        }
        return content
    }

    private struct Broken: Error {}

    private func pieces(_ error: (any Error)? = nil) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(Data("piece".utf8))
            continuation.finish(throwing: error)
        }
    }

    @Test("A coded body has its field, unless a redirect of the class drops it", arguments: [307, 303])
    func codedBody(_ status: Int) async throws {
        let requests = Watched<[URLRequest]>([])
        let read = Watched<[Data]>([])
        let target = ScriptedProtocol.keeping(requests)
        let url = ScriptedProtocol.script { loader in
            requests.append(loader.request)
            read.append(loader.body)
            loader.redirect(to: target, status: status)
        }
        let body = RequestBody(coding: .gzip) { pieces() }
        _ = try await session.upload(for: Wire.request(url, "PUT"), body: body)
        let codings = requests.current.map { $0.value(forHTTPHeaderField: "Content-Encoding") }
        #expect(codings == ["gzip", status == 307 ? "gzip" : nil])
        #expect(read.current.first?.starts(with: [0x1F, 0x8B]) == true)
        let own = Wire.request(ScriptedProtocol.keeping(requests), "PUT", headers: ["Content-Encoding": "x-gzip"])
        _ = try await session.upload(for: own, body: body)
        #expect(requests.current.last?.value(forHTTPHeaderField: "Content-Encoding") == "x-gzip")
    }

    @Test("The error of a body that a class has read is that of the task, even if the class finishes")
    func brokenBody() async throws {
        let url = ScriptedProtocol.script { loader in
            _ = loader.body
            loader.respond()
            loader.finish()
        }
        await #expect(throws: Broken.self) {
            try await session.upload(for: Wire.request(url, "PUT"), body: RequestBody(pieces(Broken())))
        }
        for length in [0, 4, 6] as [Int64] {
            let body = RequestBody(pieces(), length: length)
            let error = await Wire.error { try await session.upload(for: Wire.request(url, "PUT"), body: body) }
            #expect(error?.code == .requestBodyStreamExhausted)
            #expect(error?.ferryCode == .bodyLengthMismatch)
        }
    }

    @Test("A writer of a body does not wait for a class that has failed without reading all of it")
    func abandonedWriter() async throws {
        let kept = Watched<[Unchecked<InputStream>]>([])
        let url = ScriptedProtocol.script { loader in
            guard let stream = loader.request.httpBodyStream else { return }
            stream.open()
            var buffer = [UInt8](repeating: 0, count: 10)
            _ = stream.read(&buffer, maxLength: 10)
            kept.append(Unchecked(stream))
            loader.fail(URLError(.cannotConnectToHost))
        }
        let (body, writer) = RequestBody.writer()
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setBody(body)
        let sent = request
        let response = Task { try await session.data(for: sent) }
        let error = await #expect(throws: CurlSessionError.self) {
            while true { try await writer.write(Data(repeating: 1, count: 65_536)) }
        }
        #expect(error?.code == .requestHasEnded)
        await #expect(throws: URLError.self) { _ = try await response.value }
        #expect(kept.current.count == 1)
    }
}
