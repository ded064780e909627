import Foundation
import Testing

@Suite(
    "Certificates",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .enabled(if: OpenSSLServer.isWanted, "openssl is not installed"),
    .ownThreads,
    .timeLimit(.minutes(5))
)
struct CertificateTests {
    @Test("-k accepts any certificate, and --cert and --key present one, also with a passphrase")
    func certificates() async throws {
        let folder = try TemporaryFolder()
        let server = try await OpenSSLServer(in: folder)
        let lines: [(arguments: [String], status: Int32)] = [
            (["-E", "client.pem", "--key", "client.key"], 60), (["-k"], 35),
            (["-k", "--pin", "sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8="], 90),
            (["-k", "-E", "client.pem", "--key", "client.key"], 0),
            (["--cacert", "server.pem", "--cert", "client.pem", "--key", "client.key"], 0),
            (["-k", "--cert", "client.pem:s3cret", "--key", "encrypted.pem"], 0),
            (["-k", "--cert", "client.pem:other", "--key", "encrypted.pem"], 35),
            (["-k", "--cert", "client.p12:s3cret"], 0), (["-k", "--cert", "client.p12:other"], 35),
            (["-k", "--cert", "server.pem", "--key", "server.key"], 35),
        ]
        for (arguments, status) in lines {
            let outcome = try await FerryProcess.run(
                ["-s", "-v"] + arguments + ["https://localhost:\(server.port)/"],
                in: folder
            )
            #expect(outcome.status == status, "\(arguments) \(outcome.errors)")
            #expect(!outcome.errors.contains("s3cret"))
            // The hint is printed only if the server's authority is unknown, since another authority helps only then.
            #expect(outcome.errors.contains("--cacert") == (status == 60), "\(outcome.errors)")
            if status == 0 { #expect(outcome.text.contains("s_server")) }
        }
    }

    @Test("A redirect from https to http, or to another scheme, is an error whose body does not go to a file")
    func redirects() async throws {
        let folder = try TemporaryFolder()
        let server = try await OpenSSLServer(in: folder, mode: "-HTTP")
        let trust = ["-s", "--cacert", "server.pem", "--cert", "client.pem", "--key", "client.key"]
        for (target, reason) in [
            ("http://127.0.0.1:1/next", "it leads from https to http"),
            ("ftp://127.0.0.1:1/next", "only http and https URLs are supported"),
        ] {
            let head = "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
            try folder.file("redirect", head + "moved")
            let url = "https://localhost:\(server.port)/redirect"
            let file = try await FerryProcess.run(trust + ["-o", "x", url], in: folder)
            #expect(file.status == 7)
            #expect(file.errors == "ferry: \(url): the redirect to \(target) is not followed: \(reason)\n")
            #expect(folder.data("x") == nil)
            let output = try await FerryProcess.run(trust + [url], in: folder)
            #expect(output.status == 7 && output.text == "moved", "\(output.errors)")
            let plain = try await FerryProcess.run(trust + ["--no-redirect", url], in: folder)
            #expect(plain.status == 0 && plain.text == "moved" && plain.errors.isEmpty, "\(plain.errors)")
        }
    }
}
