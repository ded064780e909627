import Ferry
import Testing

extension NginxTests {
    @Suite("HTTP Strict Transport Security")
    struct HSTSTests {
        let server: NginxServer

        init() throws {
            server = try .shared()
        }

        private func session(_ store: HSTSStore) -> CurlSession {
            CurlSession.trusting(server) { $0.hsts = .store(store) }
        }

        /// The URL of the TLS server, without TLS.
        private func plain(_ path: String) -> URL {
            var url = URLComponents(url: server.url(.tls, path), resolvingAgainstBaseURL: false)
            url?.scheme = "http"
            return url?.url ?? server.url(.tls, path)
        }

        @Test("A host that asks for it is requested over TLS from then on")
        func upgrade() async throws {
            let store = HSTSStore()
            let session = session(store)
            let (_, refused) = try await session.fetch(plain("small"))
            #expect(refused.statusCode == 400)
            _ = try await session.fetch(server.url(.tls, "hsts"))
            #expect(store.hosts.map(\.name) == ["localhost"])
            let (data, response) = try await session.fetch(plain("small"))
            #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            #expect(response.url == server.url(.tls, "small"))
        }

        @Test("A redirect to such a host is followed over TLS, which is no step down")
        func redirect() async throws {
            let store = HSTSStore()
            store.add("localhost")
            // No server there speaks TLS, so the request fails, but nothing is sent in clear text.
            await #expect(throws: URLError.self) { _ = try await session(store).fetch(server.url(.tls, "hop/down")) }
        }

        @Test("A connection whose certificate was not verified adds no host")
        func unverified() async throws {
            let store = HSTSStore()
            var options = CurlSession.Options()
            options.hsts = .store(store)
            options.tls.dangerouslyDisablesVerification = true
            let session = CurlSession(configuration: .ephemeral, options: options)
            _ = try await session.fetch(server.url(.tls, "hsts"))
            #expect(store.hosts.isEmpty)
        }

        @Test("curl reads what Ferry has written, and Ferry what curl has")
        func curl() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hsts-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let authority = server.certificates.authority.path
            let ferrys = folder.appendingPathComponent("ferry")
            let store = try HSTSStore(file: ferrys)
            _ = try await session(store).fetch(server.url(.tls, "hsts"))
            try store.synchronize()
            let output = folder.appendingPathComponent("output")
            let read = [
                "-sS", "--cacert", authority, "--hsts", ferrys.path, "-o", output.path, plain("small").absoluteString,
            ]
            try Subprocess.run("curl", read)
            #expect(try String(contentsOf: output, encoding: .utf8) == "hello\n")

            let curls = folder.appendingPathComponent("curl")
            let url = server.url(.tls, "hsts").absoluteString
            try Subprocess.run("curl", ["-sS", "--cacert", authority, "--hsts", curls.path, "-o", output.path, url])
            let (_, response) = try await session(HSTSStore(file: curls)).fetch(plain("small"))
            #expect(response.statusCode == 200)
        }
    }
}
