import FerrySession
import FerryTesting
import Testing

/// Heads and framings, including unusual and invalid ones; content codings are in ``ContentCodingTests``.
@Suite(.timeLimit(.minutes(5)))
struct ResponseTests {
    /// Fetches from a server that sends only these bytes and closes.
    private func fetch(_ bytes: Data, method: String = "GET") async throws -> TaskRecord {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(bytes)
        }
        let recorder = RecordingDelegate()
        return try await recorder.run(Wire.session(recorder).dataTask(with: Wire.request(server.url(), method)))
    }

    private func fetch(_ text: String, method: String = "GET") async throws -> TaskRecord {
        try await fetch(Data(text.utf8), method: method)
    }

    private func value(_ name: String, _ outcome: TaskRecord) -> String? {
        outcome.response?.value(forHTTPHeaderField: name)
    }

    // MARK: - Unusual but valid

    @Test(
        "Gap 8: unusual but valid heads are parsed",
        arguments: [
            "HTTP/1.1 200 OK\r\nX-A:v\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nX-A: \t v \t \r\nContent-Length:2\r\n\r\nok",
            "HTTP/1.1 200 OK\nX-A: v\nContent-Length: 2\n\nok",
            "HTTP/1.1 200\r\nX-A: v\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 \r\nX-A: v\r\ncontent-length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nX-A: v\r\nX-Empty:\r\nX-Blank:  \r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nX-A: v\r\n\r\nok",
            "HTTP/1.1 200 \u{E9}\u{672C}\r\nX-A: v\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nX-A: v\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nX-A: v\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b;c=\"d\"\r\nok\r\n0;x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-A: v\r\nTransfer-Encoding: Chunked\r\n\r\n00000002\r\nok\r\n000\r\nT: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-A: v\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\n0\n\n",
        ]
    )
    func oddHeads(_ message: String) async throws {
        let outcome = try await fetch(message)
        #expect(outcome.error == nil)
        #expect(outcome.status == 200)
        #expect(outcome.text == "ok")
        #expect(value("x-a", outcome) == "v")
        #expect(outcome.completions == 1)
    }

    @Test("Latin-1 in values is decoded") func latin1() async throws {
        let message =
            Data("HTTP/1.1 200 ".utf8) + [0xE9] + Data("\r\nX-A: caf".utf8) + [0xE9]
            + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
        #expect(value("X-A", try await fetch(message)) == "caf\u{E9}")
    }

    @Test("Folded values are joined by a blank") func folded() async throws {
        let outcome = try await fetch("HTTP/1.1 200 OK\r\nX-A: one\r\n  two\r\n\tthree\r\nContent-Length: 0\r\n\r\n")
        #expect(value("X-A", outcome) == "one two three")
    }

    /// RFC 9110, section 5.3.
    ///
    /// Set-Cookie cannot be joined, but is, as in URLSession.
    @Test("Fields of one name are joined in order, ignoring case") func duplicates() async throws {
        let outcome = try await fetch(
            "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nX-a: 3\r\nSet-Cookie: a=1; Path=/\r\n"
                + "Set-Cookie: b=2; Expires=Sun, 06 Nov 2094 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(value("X-A", outcome) == "1, 2, 3")
        #expect(value("set-cookie", outcome) == "a=1; Path=/, b=2; Expires=Sun, 06 Nov 2094 08:49:37 GMT")
        let fields = outcome.response?.allHeaderFields as? [String: String] ?? [:]
        let url = try #require(outcome.response?.url)
        #expect(HTTPCookie.cookies(withResponseHeaderFields: fields, for: url).map(\.name).sorted() == ["a", "b"])
        #expect(fields.keys.filter { $0.lowercased() == "x-a" }.count == 1)
    }

    @Test(
        "Unknown statuses are delivered",
        arguments: [201, 299, 300, 304, 399, 418, 451, 499, 599, 600, 999]
    )
    func statuses(_ status: Int) async throws {
        let outcome = try await fetch("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")
        #expect(outcome.error == nil && outcome.status == status)
    }

    @Test("Gap 1: trailers do no harm") func trailers() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(
                body: .chunked([Data("one".utf8), Data("two".utf8)], trailers: ["X-Sum": "6", "Content-Length": "1"])
            )
        }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        for _ in 0..<3 {
            let outcome = try await recorder.run(session.dataTask(with: server.url))
            #expect(outcome.error == nil && outcome.text == "onetwo")
            #expect(outcome.response?.value(forHTTPHeaderField: "X-Sum") == nil)
            let file = try await recorder.run(session.downloadTask(with: server.url))
            #expect(file.error == nil && file.file == Data("onetwo".utf8))
        }
    }

    @Test("Interim responses are not reported") func interim() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("ok").preceded(by: .init(statusCode: 100)).preceded(
                by: .init(statusCode: 103, headers: ["Link": "</a>"])
            )
            .preceded(by: .init(statusCode: 102)).preceded(by: .init(statusCode: 199, headers: ["X-Interim": "1"]))
        }
        let recorder = RecordingDelegate()
        let outcome = try await recorder.run(Wire.session(recorder).dataTask(with: server.url))
        #expect(outcome.events == [.response(200), .data(2), .completed(nil)])
        #expect(value("X-Interim", outcome) == nil && value("Link", outcome) == nil)
    }

    @Test("A hundred interim responses are not reported either") func manyInterim() async throws {
        let outcome = try await fetch(
            String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", count: 100)
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        )
        #expect(outcome.text == "ok" && outcome.error == nil)
    }

    // MARK: - Without a body

    @Test(
        "204, 304 and HEAD have no body, whatever their length",
        arguments: [("GET", 204), ("GET", 304), ("HEAD", 200), ("HEAD", 404)]
    )
    func bodiless(_ row: (String, Int)) async throws {
        let server = try RawServer { connection in
            for _ in 0..<2 {
                connection.readHead()
                connection.write("HTTP/1.1 \(row.1) X\r\nContent-Length: 1000\r\nContent-Encoding: gzip\r\n\r\n")
            }
        }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        // The second one shows that the connection is still in sync. After a 204 with a length, which it must not have
        // (RFC 9110, section 8.6), it is not used again.
        for _ in 0..<2 {
            let outcome = try await recorder.run(session.dataTask(with: Wire.request(server.url(), row.0)))
            #expect(outcome.error == nil && outcome.data.isEmpty && outcome.status == row.1)
        }
        session.invalidateAndCancel()
        try await eventually { server.texts.count == (row.1 == 204 ? 2 : 1) }
    }

    @Test("An empty body is valid with any framing") func empty() async throws {
        for rest in [
            "Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "Connection: close\r\n\r\n",
        ] {
            let outcome = try await fetch("HTTP/1.1 200 OK\r\n" + rest)
            #expect(
                outcome.error == nil && outcome.data.isEmpty && outcome.events == [.response(200), .completed(nil)],
                "\(rest)"
            )
        }
    }

    @Test("A body of unknown length ends with the connection") func untilClose() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.pattern(count: 300_000).framed(.untilClose) }
        let recorder = RecordingDelegate()
        let task = Wire.session(recorder).dataTask(with: server.url)
        let outcome = try await recorder.run(task)
        #expect(outcome.error == nil && outcome.data == LoopbackServer.pattern(count: 300_000))
        #expect(outcome.response?.expectedContentLength == NSURLSessionTransferSizeUnknown)
        #expect(task.countOfBytesReceived == 300_000)
    }

    @Test("Bytes after the announced length are not part of the body") func excess() async throws {
        let outcome = try await fetch("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nsmuggled")
        #expect(outcome.error == nil && outcome.text == "ok")
    }

    // MARK: - Invalid

    @Test(
        "Truncated content is a lost connection, never a success",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y",
        ]
    )
    func truncated(_ message: String) async throws {
        let outcome = try await fetch(message)
        #expect(outcome.error?.code == .networkConnectionLost)
        #expect(outcome.underlying?.code == .curl)
        #expect(outcome.underlying?.message.isEmpty == false)
        #expect(outcome.error?.userInfo[NSURLErrorFailingURLErrorKey] is URL)
        #expect(outcome.completions == 1)
    }

    @Test(
        "A connection that closes without a response, or within the head, is a lost one",
        arguments: ["", "HTTP/1.1 200 OK\r\nX-A: v\r\n", "HTTP/1.1 100 Continue\r\n\r\n"]
    )
    func closedEarly(_ message: String) async throws {
        let outcome = try await fetch(message)
        #expect(outcome.error?.code == .networkConnectionLost, "\(outcome.error?.localizedDescription ?? "")")
        #expect(outcome.response == nil && outcome.completions == 1)
    }

    @Test(
        "A response that is not HTTP cannot be parsed",
        arguments: [
            "SSH-2.0-OpenSSH_9.2p1\r\n", "220 mail.test ESMTP\r\n", "<html>hello</html>", "ICY 200 OK\r\n\r\n",
            "HTTP/1.1 abc\r\n\r\n",
            // RFC 9110, section 15.2.2: no other protocol was requested.
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", "HTTP/1.1 200 OK\r\n: nameless\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello!",
        ]
    )
    func garbage(_ message: String) async throws {
        let outcome = try await fetch(message)
        #expect(outcome.error?.code == .cannotParseResponse, "\(outcome.error?.localizedDescription ?? outcome.text)")
        #expect(outcome.error?.userInfo[NSURLErrorFailingURLErrorKey] is URL)
        #expect(outcome.error?.localizedDescription.isEmpty == false)
        #expect(outcome.completions == 1)
    }

    @Test("Random responses end in one completion, without a trap") func fuzz() async throws {
        var random = SeededGenerator(9)
        let messages = (0..<150).map { index -> Data in
            let alphabet = "HTTP/1.1 200 OK\r\n\r\nContent-Length: 5Transfer-Encoding: chunked\r\nLocation: /"
            let tail = Data(random.bytes(upTo: 120, from: alphabet))
            return index % 3 == 0 ? tail : Data("HTTP/1.1 \([200, 302, 401, 100][index % 4]) OK\r\n".utf8) + tail
        }
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(messages[connection.index % messages.count])
        }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder) { $0.timeoutIntervalForRequest = 5 }
        for _ in messages {
            let outcome = try await recorder.run(session.dataTask(with: server.url()))
            #expect(outcome.completions == 1)
        }
    }

    @Test("A header of a megabyte is refused with a typed error, a quarter of it is accepted") func hugeHeaders()
        async throws
    {
        let line = "X-H: " + String(repeating: "v", count: 993) + "\r\n"
        let fine = try await fetch(
            "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 250) + "Content-Length: 2\r\n\r\nok"
        )
        #expect(fine.error == nil && fine.text == "ok")
        let tooMany = try await fetch(
            "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 1200) + "Content-Length: 2\r\n\r\nok"
        )
        #expect(tooMany.error.map { $0.code } == .dataLengthExceedsMaximum)
        let longLine = try await fetch(
            "HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "v", count: 90_000) + "\r\nContent-Length: 2\r\n\r\nok"
        )
        #expect(longLine.error == nil && value("X-Long", longLine)?.count == 90_000)
        let tooLong = try await fetch(
            "HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "v", count: 1_100_000) + "\r\n\r\n"
        )
        #expect(tooLong.error?.code == .dataLengthExceedsMaximum)
        let endless = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n")
            while connection.write(line) {}
        }
        let error = await Wire.error { try await Wire.session().data(from: endless.url()) }
        #expect(error != nil)
    }

    // MARK: - Properties of URLResponse

    @Test(
        "Type, encoding and suggested name of a response",
        arguments: [
            ("Content-Type: text/html; charset=UTF-8", "text/html", "utf-8", "file.bin"),
            ("Content-Type: text/html ; charset=\"ISO-8859-1\"", "text/html", "iso-8859-1", "file.bin"),
            ("Content-Type: application/json", "application/json", nil, "file.bin"),
            ("Content-Type: text/html; charset=gbk\r\nContent-Type: a/b", "a/b", nil, "file.bin"),
            ("X: y", nil, nil, "file.bin"),
            ("Content-Disposition: attachment; filename=\"a b.txt\"", nil, nil, "a b.txt"),
            ("Content-Disposition: attachment; filename*=UTF-8''%e2%82%ac.txt", nil, nil, "\u{20AC}.txt"),
            ("Content-Disposition: attachment; filename=\"../../x\"", nil, nil, "x"),
            ("Content-Disposition: inline", nil, nil, "file.bin"),
        ] as [(String, String?, String?, String)]
    )
    func properties(_ row: (String, String?, String?, String)) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\(row.0)\r\nContent-Length: 2\r\n\r\nok")
        }
        let (_, response) = try await Wire.session().data(from: server.url("/dir/file.bin?x=/y"))
        #expect(response.mimeType == row.1)
        #expect(response.textEncodingName == row.2)
        #expect(response.suggestedFilename == row.3)
        #expect(response.expectedContentLength == 2)
        #expect(response.url == server.url("/dir/file.bin?x=/y"))
    }

    @Test("A URL without a name suggests none") func noName() async throws {
        let outcome = try await fetch("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(outcome.response?.suggestedFilename == "Unknown")
    }

    @Test(
        "Gap 5: a 401 is delivered immediately with its body",
        arguments: [
            "Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"y\"", "Basic", "",
            "Negotiate, NTLM, Basic realm=\"a\", Basic realm=\"b\"",
        ]
    )
    func unauthorized(_ challenge: String) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("who are you?", statusCode: 401).adding("WWW-Authenticate", challenge)
        }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let outcome = try await recorder.run(session.dataTask(with: server.url))
        #expect(outcome.events == [.response(401), .data(12), .completed(nil)] && outcome.error == nil)
        let (data, response) = try await session.data(from: server.url)
        #expect(data == Data("who are you?".utf8) && (response as? HTTPURLResponse)?.statusCode == 401)
        let file = try await recorder.run(session.downloadTask(with: server.url))
        #expect(file.file == Data("who are you?".utf8) && file.error == nil)
    }

    @Test(
        "Gap 5 on FoundationNetworking",
        .foundationNetworking("a Basic challenge is never answered, the task hangs")
    )
    func unauthorizedOfFoundation() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("who are you?", statusCode: 401).adding("WWW-Authenticate", "Basic realm=\"x\"")
        }
        let (data, _) = try await URLSession(configuration: .ephemeral).data(from: server.url)
        #expect(data == Data("who are you?".utf8))
    }
}
