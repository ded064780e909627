import FerrySession
import ProxySupport
import TestSupport
import Testing

/// Actions of a server between requests, and against the connections of a session.
@Suite("Hostile connections", .ownThreads, .timeLimit(.minutes(5)))
struct HostileConnectionTests {
    @Test("An unsolicited response is not taken for the response to a request", arguments: [0, 50_000])
    func unasked(_ delay: UInt32) async throws {
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        let isPoisoned = Watched(0)
        let server = try RawServer { connection in
            var count = 0
            while !connection.readHead().isEmpty {
                count += 1
                let body = "\(connection.index)-\(count)"
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n\(body)")
                if delay > 0 { usleep(delay) }
                connection.write(poison)
                isPoisoned.change { $0 += 1 }
            }
        }
        let session = Wire.session()
        for round in 1...8 {
            for method in ["GET", "POST"] {
                let before = isPoisoned.current
                let (data, _) = try await session.data(for: Wire.request(server.url(), method))
                #expect(data != Data("poison".utf8), "\(round) \(method)")
                // The second response is in transit when the next request is sent.
                try await eventually { isPoisoned.current > before }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// libcurl sends the request a second time to respond to the challenge, on the same connection.
    @Test("An unsolicited response is refused on a Unix-domain socket, even after a challenge")
    func unaskedOverUnixSocket() async throws {
        let isPoisoned = Watched(false)
        let written = Watched(0)
        let server = try RawServer { connection in
            func write(_ text: String) {
                written.change { $0 += text.utf8.count }
                connection.write(text)
            }
            let challenge = "WWW-Authenticate: Digest realm=\"a\", nonce=\"n\", qop=\"auth\""
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                if head.contains("Authorization: Digest") { break }
                write("HTTP/1.1 401 No\r\n\(challenge)\r\nContent-Length: 0\r\n\r\n")
            }
            write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nown\(connection.index)")
            usleep(50_000)
            write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
            isPoisoned.change { $0 = true }
            connection.readAll()
        }
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("socket").path
        let relay = try UnixRelay(path: path, to: server.port)
        var options = CurlSession.Options()
        options.network.unixSocket = .path(path)
        let session = Wire.session(CredentialDelegate(password: "secret"), options: options)
        let url = try #require(URL(string: "http://docker/"))
        for index in 0..<3 {
            isPoisoned.change { $0 = false }
            let (data, _) = try await session.data(from: url)
            #expect(data == Data("own\(index)".utf8))
            try await eventually { isPoisoned.current }
            try await eventually { relay.forwarded == written.current }
        }
    }

    @Test("A status line of HTTP/2 over HTTP/1.1 does not let more requests share the connection or the host")
    func wrongVersion() async throws {
        let requests = Watched((count: 0, most: 0))
        let server = try RawServer { connection in
            while !connection.readHead().isEmpty {
                requests.change { $0 = ($0.count + 1, max($0.most, $0.count + 1)) }
                usleep(20_000)
                requests.change { $0.count -= 1 }
                connection.write("HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\nok")
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
            }
        }
        var options = CurlSession.Options()
        options.maximumConnectionsPerHost = 2
        let session = Wire.session(options: options)
        for _ in 0..<3 {
            try await withThrowingTaskGroup(of: Data?.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        do {
                            return try await session.data(for: Wire.request(server.url())).0
                        } catch let error as URLError where error.ferryCode == .malformedResponse {
                            // libcurl 8.14 refuses a connection whose version changes.
                            return nil
                        }
                    }
                }
                for try await data in group { #expect(data == nil || data == Data("ok".utf8)) }
            }
        }
        #expect(requests.current.most <= 2)
    }

    @Test("An idle connection that received garbage or its end is not used", arguments: ["garbage", "", "\r\n"])
    func garbage(_ text: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.write(text)
        }
        let session = Wire.session()
        for index in 0..<10 {
            let (data, _) = try await session.data(for: Wire.request(server.url(), "POST"))
            #expect(data == Data("ok".utf8))
            try await eventually { server.finished == index + 1 }
            // No event announces that the bytes after the response have arrived.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// RFC 9110, section 9.2.2.
    @Test(
        "A request that is not idempotent is not sent a second time",
        arguments: ["POST", "PATCH", "LOCK"],
        [false, true]
    )
    func notRepeated(_ method: String, _ hasBody: Bool) async throws {
        let server = try RawServer { connection in
            if connection.readHead().isEmpty { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            if connection.readHead().contains("Content-Length: 5") { connection.readBody(5) }
        }
        let session = Wire.session()
        _ = try await session.data(from: server.url())
        let request = Wire.request(server.url(), method, body: hasBody ? Data("hello".utf8) : nil)
        let error = await Wire.error { try await session.data(for: request) }
        #expect(error?.code == .networkConnectionLost)
        #expect(error?.ferryCode == .notRepeated)
        session.invalidateAndCancel()
        try await eventually { server.received.count == 2 }
        #expect(server.texts.joined().components(separatedBy: "\(method) / HTTP/1.1").count == 2)
    }

    @Test("An idempotent request is sent again", arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
    func repeated(_ method: String) async throws {
        let server = try RawServer { connection in
            if connection.readHead().isEmpty { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = connection.readHead()
        }
        let session = Wire.session()
        _ = try await session.data(from: server.url())
        let (_, response) = try await session.data(for: Wire.request(server.url(), method))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test(
        "An upload whose kept connection breaks in the middle is sent again if it is idempotent",
        arguments: ["PUT", "POST"]
    )
    func repeatedUpload(_ method: String) async throws {
        let server = try RawServer { connection in
            while case let head = connection.readHead(), !head.isEmpty {
                let isUpload = !head.hasPrefix("GET")
                connection.readBody(isUpload ? connection.index == 0 ? 1_000 : 3_000_000 : 0)
                if isUpload, connection.index == 0 { return connection.resetOnClose() }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let session = Wire.session()
        _ = try await session.data(from: server.url())
        let request = Wire.request(server.url(), method)
        if method == "PUT" {
            let (_, response) = try await session.upload(for: request, from: Data(count: 3_000_000))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        } else {
            let error = await #expect(throws: URLError.self) {
                try await session.upload(for: request, from: Data(count: 3_000_000))
            }
            #expect(error?.code == .networkConnectionLost && error?.ferryCode == .notRepeated)
        }
    }

    @Test("An upload continues while the server acknowledges bytes, and ends when it stops")
    func slowReader() async throws {
        let size = 6_000_000
        // The system acknowledges the bytes that it receives, so it must not receive everything immediately.
        let server = try RawServer(receiveBuffer: 65_536) { connection in
            connection.readHead()
            // The server reads for nine seconds, with half a second between two reads. The system takes the last bytes
            // from the client after about two.
            for part in 1...18 {
                let wanted = size / 18 * part
                while connection.received.count < wanted, connection.readMore() {}
                usleep(UInt32(500_000 * patience))
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let session = Wire.session()
        let request = Wire.request(server.url(), "PUT", timeout: 6 * patience)
        let (data, _) = try await session.upload(for: request, from: Data(count: size))
        #expect(data == Data("ok".utf8))

        let stalled = try RawServer { connection in
            connection.readHead()
            Thread.sleep(forTimeInterval: 10)
        }
        let start = ContinuousClock.now
        let error = await Wire.error {
            try await session.upload(for: Wire.request(stalled.url(), "PUT", timeout: 0.3), from: Data(count: size))
        }
        #expect(error?.code == .timedOut)
        #expect(Wire.seconds(since: start) < 9.5)
    }

    @Test("A request with its own Host is neither stored nor answered from the cache") func ownHost() async throws {
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let body = head.contains("Host: evil.example") ? "evil" : "good"
                connection.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=1000\r\nContent-Length: 4\r\n\r\n\(body)")
            }
        }
        var options = CurlSession.Options()
        options.cache = HTTPCache(memoryCapacity: 1_000_000)
        let session = Wire.session(options: options)
        let own = Wire.request(server.url(), headers: ["Host": "evil.example"])
        #expect(try await session.data(for: own).0 == Data("evil".utf8))
        #expect(try await session.data(from: server.url()).0 == Data("good".utf8))
        #expect(try await session.data(for: own).0 == Data("evil".utf8))
    }
}
