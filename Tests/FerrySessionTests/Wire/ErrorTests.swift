import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// How each failure is reported: URLSession's code, the URL, and libcurl's message.
@Suite(.timeLimit(.minutes(5)))
struct ErrorTests {
    /// Runs the same request with every kind of delivery, and returns the errors.
    private func errors(
        _ url: URL,
        timeout: TimeInterval = 60,
        options: CurlSession.Options = .init()
    ) async throws -> [URLError] {
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder, options: options)
        let request = Wire.request(url, timeout: timeout)
        let plain = Wire.session(options: options)
        return [
            try await recorder.run(session.dataTask(with: request)).error,
            try await recorder.run(session.downloadTask(with: request)).error,
            try await recorder.run(
                session.uploadTask(with: Wire.request(url, "POST", timeout: timeout), from: Data("x".utf8))
            ).error,
            await Wire.error { try await plain.data(for: request) },
            await Wire.error { try await plain.download(for: request) },
            await Wire.error {
                let (bytes, _) = try await plain.bytes(for: request)
                for try await _ in bytes {}
            },
            await withCheckedContinuation { waiter in
                plain.dataTask(with: request) { data, _, error in
                    #expect(data == nil)
                    waiter.resume(returning: error as? URLError)
                }
                .resume()
            },
        ]
        .compactMap { $0 }
    }

    private func expect(
        _ errors: [URLError],
        _ code: URLError.Code,
        _ url: URL,
        _ kind: CurlSessionError.Code? = .curl,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(errors.count == 7, sourceLocation: sourceLocation)
        for error in errors {
            #expect(error.code == code, "\(error.localizedDescription)", sourceLocation: sourceLocation)
            #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url, sourceLocation: sourceLocation)
            #expect(
                error.userInfo["NSErrorFailingURLStringKey"] as? String == url.absoluteString,
                sourceLocation: sourceLocation
            )
            #expect(!error.localizedDescription.isEmpty, sourceLocation: sourceLocation)
            guard let kind else { continue }
            #expect(error.curlSessionError?.code == kind, sourceLocation: sourceLocation)
            #expect(error.curlSessionError?.message.isEmpty == false, sourceLocation: sourceLocation)
            #expect(
                (error.curlSessionError?.curlCode != nil) == [.curl, .tlsHandshake].contains(kind),
                sourceLocation: sourceLocation
            )
        }
    }

    @Test("A refused connection is -1004") func refused() async throws {
        let closed = try ClosedPort()
        expect(try await errors(closed.url), .cannotConnectToHost, closed.url)
        withExtendedLifetime(closed) {}
    }

    @Test("A name that does not exist is -1003") func unknownHost() async throws {
        let url = try #require(URL(string: "http://name.invalid/"))
        expect(try await errors(url), .cannotFindHost, url)
    }

    @Test(
        "A connection that breaks at any time is -1005",
        arguments: [
            .closeBeforeHead, .resetBeforeHead, .reset(afterBodyBytes: 0), .reset(afterBodyBytes: 50_000),
            .truncate(afterBodyBytes: 0),
            .truncate(afterBodyBytes: 99_999), .truncate(afterBodyBytes: 100_000), .reset(afterBodyBytes: 100_000),
        ] as [LoopbackResponse.Fault]
    )
    func broken(_ fault: LoopbackResponse.Fault) async throws {
        // Chunked, so that even a body that was received completely lacks its end.
        let server = try LoopbackServer { _ in LoopbackResponse.pattern(count: 100_000).framed(.chunked).faulted(fault)
        }
        expect(try await errors(server.url), .networkConnectionLost, server.url)
    }

    @Test("A response that is not HTTP is -1017") func garbage() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.garbage(Data("SSH-2.0-x\r\n".utf8))) }
        expect(try await errors(server.url), .cannotParseResponse, server.url)
    }

    @Test("A damaged coding is -1016") func coding() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(headers: ["Content-Encoding": "gzip"], body: .data(Data("no gzip".utf8)))
        }
        expect(try await errors(server.url), .cannotDecodeContentData, server.url, .damagedContentCoding)
    }

    @Test("A timeout is -1001") func timeout() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        expect(try await errors(server.url, timeout: 0.1), .timedOut, server.url, .inactivityTimeout)
    }

    @Test("Too many redirects are -1007") func redirections() async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/again") }
        expect(try await errors(server.url), .httpTooManyRedirects, server.url("/again"), nil)
    }

    @Test("TLS to a server without it is -1200") func noTLS() async throws {
        let server = try RawServer { connection in
            connection.readMore()
            connection.write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        expect(try await errors(url), .secureConnectionFailed, url, .tlsHandshake)
    }

    // MARK: - Download files

    @Test("Gap 9: a missing folder is a typed error, and leaves no file") func missingFolder() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000) }
        let folder = try Wire.temporaryFolder()
        Wire.remove(folder)
        var options = CurlSession.Options()
        options.temporaryDirectory = folder
        let recorder = RecordingDelegate()
        let outcome = try await recorder.run(Wire.session(recorder, options: options).downloadTask(with: server.url))
        #expect(outcome.error?.code == .cannotCreateFile)
        let cause = outcome.error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.domain == NSCocoaErrorDomain && cause?.code == CocoaError.fileNoSuchFile.rawValue)
        #expect(outcome.error?.localizedDescription.contains(folder.path) == true)
        #expect(outcome.completions == 1 && outcome.file == nil)
        #expect(
            await Wire.error { try await Wire.session(options: options).download(from: server.url) }?.code
                == .cannotCreateFile
        )
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test(
        "Gap 9 on FoundationNetworking",
        .foundationNetworking("an unwritable TMPDIR ends the process with a fatal error")
    )
    func missingFolderOfFoundation() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000) }
        setenv("TMPDIR", "/nowhere/at/all", 1)
        let recorder = RecordingDelegate()
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        #expect(try await recorder.run(session.downloadTask(with: server.url)).error != nil)
    }

    @Test(
        "Gap 9: a full disk is a typed error, and leaves no file",
        .enabled(if: SmallDisk.isPossible, "A small disk needs root and mount")
    )
    func fullDisk() async throws {
        let disk = try SmallDisk()
        let server = try LoopbackServer { _ in .pattern(count: 3_000_000) }
        var options = CurlSession.Options()
        options.temporaryDirectory = disk.folder.url
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder, options: options)
        let outcome = try await recorder.run(session.downloadTask(with: server.url))
        #expect(outcome.error?.code == .cannotWriteToFile)
        let cause = outcome.error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.domain == NSCocoaErrorDomain && cause?.code == CocoaError.fileWriteOutOfSpace.rawValue)
        #expect(outcome.completions == 1 && outcome.file == nil)
        #expect(disk.folder.names == [])
        // The session still works for responses that fit.
        let small = try LoopbackServer { _ in .pattern(count: 10_000) }
        #expect(
            try await recorder.run(session.downloadTask(with: small.url)).file == LoopbackServer.pattern(count: 10_000)
        )
    }

    @Test("Gap 9: temporary files are accessible only to their owner, and deleted if not moved") func temporaryFiles()
        async throws
    {
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let server = try LoopbackServer { request in
            let body = LoopbackResponse.pattern(count: 300_000)
            return request.path == "/cut" ? body.faulted(.reset(afterBodyBytes: 200_000)) : body
        }
        var options = CurlSession.Options()
        options.temporaryDirectory = folder
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder, options: options)
        let whole = try await recorder.run(session.downloadTask(with: server.url))
        #expect(whole.permissions == 0o600)
        #expect(whole.file == LoopbackServer.pattern(count: 300_000))
        #expect(whole.fileURL?.deletingLastPathComponent().path == folder.path)
        #expect(Wire.contents(of: folder) == [])
        let cut = try await recorder.run(session.downloadTask(with: server.url("/cut")))
        #expect(cut.error?.code == .networkConnectionLost && cut.file == nil)
        #expect(Wire.contents(of: folder) == [])
        let handled = await withCheckedContinuation { waiter in
            session.downloadTask(with: server.url) { url, _, _ in
                waiter.resume(returning: url.flatMap { try? Data(contentsOf: $0) })
            }.resume()
        }
        #expect(handled == LoopbackServer.pattern(count: 300_000))
        try await eventually { Wire.contents(of: folder) == [] }
    }

    @Test("Gap 9: a cancelled download leaves no file") func cancelled() async throws {
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let server = try LoopbackServer { _ in
            LoopbackResponse.pattern(count: 300_000).faulted(.stall(afterBodyBytes: 200_000))
        }
        var options = CurlSession.Options()
        options.temporaryDirectory = folder
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder, options: options)
        let tasks = (0..<5).map { _ in session.downloadTask(with: server.url) }
        for task in tasks { task.resume() }
        try await eventually { Wire.contents(of: folder).count == 5 }
        for task in tasks { task.cancel() }
        for task in tasks { #expect(try await recorder.completion(of: task).error?.code == .cancelled) }
        try await eventually { Wire.contents(of: folder) == [] }
    }

    @Test("A file that the delegate moved is kept, and the file of an async download belongs to the caller")
    func moved() async throws {
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let server = try LoopbackServer { _ in .pattern(count: 1000) }
        let target = folder.appendingPathComponent("kept")
        var hooks = DelegateHooks()
        hooks.onFinishedDownload = { _, file in try? FileManager.default.moveItem(at: file, to: target) }
        let recorder = RecordingDelegate(hooks)
        _ = try await recorder.run(Wire.session(recorder).downloadTask(with: server.url))
        #expect(try Data(contentsOf: target) == LoopbackServer.pattern(count: 1000))
        let (url, _) = try await Wire.session().download(from: server.url)
        #expect(try Data(contentsOf: url) == LoopbackServer.pattern(count: 1000))
        Wire.remove(url)
    }
}
