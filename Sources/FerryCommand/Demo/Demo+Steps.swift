import Ferry
import FerryTesting

extension Demo {
    /// The bytes that a slow step transfers, and the server's bytes per second: a step takes a second or two.
    static let size = 3_000_000
    static let rate = 2_500_000

    func fetchData() async throws -> DemoFinding {
        let url = server.url("/echo?greeting=hello")
        let (data, response) = try await session.data(from: url)
        let echo = try JSONDecoder().decode(LoopbackEcho.self, from: data)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        say("GET \(url.path(percentEncoded: true)): \(status), \(response.mimeType ?? "no type"), \(data.count) bytes")
        let holds = status == 200 && echo.target.hasSuffix("/echo?greeting=hello")
        return DemoFinding(holds: holds, text: "the server echoes the request")
    }

    /// Uploads data with a task and a delegate.
    func upload() async throws -> DemoFinding {
        // The system buffers some millions of bytes; only a larger body is limited by the server's rate.
        let size = Self.size * 3
        var request = URLRequest(url: server.url("/upload?rate=\(Self.rate * 4)"))
        request.httpMethod = "PUT"
        let delegate = DemoTaskDelegate(board.begin("upload"))
        let task = session.uploadTask(with: request, from: LoopbackServer.pattern(count: size))
        task.delegate = delegate
        task.resume()
        try await delegate.wait { $0.isComplete }
        let echo = try JSONDecoder().decode(LoopbackEcho.self, from: delegate.current.body)
        let isSame = echo.bodySHA256 == LoopbackServer.patternSHA256(count: size)
        say("the server counts \(echo.bodyLength) bytes, sha256 \(echo.bodySHA256.prefix(16))…")
        let sent = ByteText.text(delegate.current.sent)
        return DemoFinding(holds: isSame, text: isSame ? "\(sent) sent, sha256 equal" : "the sha256 differs")
    }

    /// Downloads a file, suspends the task on the way and resumes it.
    func downloadWithPause() async throws -> DemoFinding {
        let file = folder.appendingPathComponent("suspended.bin")
        let delegate = DemoTaskDelegate(board.begin("suspended.bin"), destination: file)
        let task = session.downloadTask(with: server.url("/bytes/\(Self.size)?rate=\(Self.rate)"))
        task.delegate = delegate
        task.resume()
        try await delegate.wait { $0.received > Int64(Self.size / 3) }
        task.suspend()
        // Events that are already queued for the delegate may still arrive.
        try await Task.sleep(for: .milliseconds(100))
        let before = delegate.current.received
        say("suspended after \(ByteText.text(before))")
        try await Task.sleep(for: .milliseconds(500))
        let stoodStill = delegate.current.received == before
        say(stoodStill ? "no byte arrived for half a second; resumed" : "bytes arrived while it was suspended")
        task.resume()
        try await delegate.wait { $0.isComplete }
        return finding(of: file, "no byte arrived while suspended", holds: stoodStill)
    }

    /// Cancels a download of the command, then continues its partial file with `Range` and `If-Range`.
    func downloadWithBreak() async throws -> DemoFinding {
        let file = folder.appendingPathComponent("continued.bin")
        let size = Int64(Self.size)
        var options = FetchOptions(
            urls: [server.url("/bytes/\(size)?rate=\(Self.rate)")],
            outputs: [file.path],
            continuesDownloads: true
        )
        let first = Task { [options] in await fetch(options).run() }
        for _ in 0..<500 where partSize(of: file) < size / 2 { try await Task.sleep(for: .milliseconds(10)) }
        first.cancel()
        guard let remainder = await first.value.remainder else {
            return DemoFinding(holds: false, text: "the cancelled download left nothing")
        }
        say("cancelled; \(ByteText.text(remainder.size)) are kept in continued.bin.part")
        options.isSilent = true
        if let failure = await fetch(options).run().failure { throw failure }
        let request = server.requests.last
        say("requested Range: \(request?.header("Range") ?? "-"), If-Range: \(request?.header("If-Range") ?? "-")")
        let asked = request?.header("Range") == "bytes=\(remainder.size)-"
        return finding(of: file, "continued with Range and If-Range", holds: asked)
    }

    private func fetch(_ options: FetchOptions) -> Fetch {
        let context = RunContext(
            options: options,
            session: session,
            console: Console(console.terminal, isSilent: true),
            board: board,
            recorder: RunRecorder(),
            log: nil
        )
        return Fetch(context, .success(.none), index: 0)
    }

    private func partSize(of file: URL) -> Int64 {
        var info = stat()
        return stat(file.path + PartFile.partSuffix, &info) == 0 ? Int64(info.st_size) : 0
    }

    private func finding(of file: URL, _ text: String, holds: Bool) -> DemoFinding {
        guard let data = try? RegularFile.contents(of: file.path, links: .refuse, limit: Self.size) else {
            return DemoFinding(holds: false, text: "there is no file of \(Self.size) bytes")
        }
        let digest = SHA256Hash.hash(data).hexadecimal
        let isSame = digest == LoopbackServer.patternSHA256(count: Self.size)
        say("\(data.count) bytes, sha256 \(digest.prefix(16))…")
        return DemoFinding(holds: holds && isSame, text: isSame ? text + ", sha256 equal" : "the sha256 differs")
    }
}
