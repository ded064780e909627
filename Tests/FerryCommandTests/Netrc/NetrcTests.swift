import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

@Suite("Netrc files", .ownThreads, .timeLimit(.minutes(5)))
struct NetrcTests {
    /// Returns the entries of a text as `machine login password`.
    private func entries(_ text: String) throws -> [String] {
        try NetrcFile(text).entries.map { "\($0.machine ?? "*") \($0.login) \($0.password)" }
    }

    @Test(
        "Entries are read as curl reads them",
        arguments: [
            ("", []),
            ("machine a.example login ada password x", ["a.example ada x"]),
            ("\u{FEFF}machine a.example login ada password x", ["a.example ada x"]),
            ("machine\ta.example\r\n  login ada\r\n\tpassword x\r\n", ["a.example ada x"]),
            ("machine\na.example\nlogin\nada\npassword\nx", ["a.example ada x"]),
            ("MACHINE a.example Login ada PASSWORD x", ["a.example ada x"]),
            ("machine a.example password x login ada account z", ["a.example ada x"]),
            ("machine a.example account machine login ada", ["a.example ada "]),
            ("machine a.example password x", ["a.example  x"]),
            ("machine a login x password y machine b login z password w", ["a x y", "b z w"]),
            // The first entry for a host counts, and none counts after `default`.
            ("machine a login x machine A. login y", ["a x "]),
            ("machine a login x default login y password z machine b login w", ["a x ", "* y z"]),
            // Comments.
            ("# a comment\nmachine a login x # password no\npassword y", ["a x y"]),
            ("machine a login x password y#z", ["a x y#z"]),
            ("machine a login x password \"#y\"", ["a x #y"]),
            // Quoted words.
            (#"machine "a" login "x y" password "q\"\\\n\t\rz""#, ["a x y q\"\\\n\t\rz"]),
            (#"machine a login "" password "a""b" login c"#, ["a c a"]),
            ("machine a login x\"y password z\"", ["a x\"y z\""]),
            // Macros end with an empty line.
            ("macdef init\nmachine no login no\n\nmachine a login x", ["a x "]),
            ("machine a login x macdef m machine no\r\nmachine no\r\n\r\npassword y", ["a x y"]),
            ("macdef m\nmachine no", []),
            // Words without a meaning, and values without an entry.
            ("login x password y port 21 machine a what login z", ["a z "]),
            ("machine", []),
            ("machine a login", ["a  "]),
            ("machine a/b login x machine c login y", ["c y "]),
            ("machine a login é password 密", ["a é 密"]),
        ] as [(String, [String])]
    )
    func entries(text: String, expected: [String]) throws {
        #expect(try entries(text) == expected)
    }

    @Test("Hosts are compared in their normalized form, and others have the default entry")
    func hosts() throws {
        let file = try NetrcFile(
            "machine EXAMPLE.com login a machine 127.1 login b machine ::1 login c default login d"
        )
        for (host, login) in [
            ("example.COM", "a"), ("example.com.", "a"), ("127.0.0.1", "b"), ("[::1]", "c"), ("0:0::1", "c"),
            ("sub.example.com", "d"), ("com", "d"),
        ] {
            #expect(file.entry(forHost: host)?.login == login, "\(host)")
        }
        #expect(file.entry(forHost: "") == nil)
        #expect(try NetrcFile("machine a login x").entry(forHost: "b") == nil)
    }

    @Test("A quoted word that does not end is an error", arguments: ["\"", "\"x\\", "\"x\\\"", "\"x\ny\""])
    func unterminated(word: String) throws {
        let text = "machine a login ada\npassword \(SecretScan.password) \(word)"
        let error = try #require(#expect(throws: NetrcError.self) { try NetrcFile(text) })
        #expect(error.message == "The quoted word in line 2 of the netrc file does not end")
        #expect(SecretScan.findings(in: error) == [])
    }

    @Test("The file in the home folder is named .netrc, and a text may have up to 128 KiB")
    func limits() throws {
        #expect(NetrcFile.defaultURL.lastPathComponent == ".netrc")
        let full = String(repeating: "#", count: NetrcFile.maximumSize)
        #expect(try NetrcFile(full).entries.isEmpty)
        let error = try #require(#expect(throws: NetrcError.self) { try NetrcFile(full + "#") })
        #expect(error.message == "The netrc file has more than 131072 bytes")
    }

    @Test("Parsing takes linear time for any text")
    func linearTime() throws {
        let parts = ["machine a ", "default ", "macdef ", "\n", "login \"", "\"\" ", "\\\"", "# "]
        let slow = try HostileText.slowTexts("netrc", and: parts) { text in
            for prefix in ["", "machine ", "\"", "macdef x\n"] { _ = try? NetrcFile(prefix + text) }
        }
        #expect(slow.isEmpty)
    }

    @Test("Random texts are read or refused; what is read is found by its host, and the same when it is written again")
    func randomTexts() throws {
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed)
        let words = [
            "machine", "default", "login", "password", "account", "macdef", "\"", "\\", "#", "\n", "\n\n", "a", "A.",
            "[::1]", "127.1", "é", "\r", "\t", "\u{0}", "\u{301}", "machine a", "login b", "password c",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...20, using: &random))
                .map { _ in words.randomElement(using: &random) ?? "" }
                .joined(separator: Bool.random(using: &random) ? " " : "")
            guard let file = try? NetrcFile(text) else {
                #expect(text.utf8.contains(UInt8(ascii: "\"")), "seed \(seed)")
                continue
            }
            #expect(file.entries.dropLast().allSatisfy { $0.machine != nil }, "seed \(seed)")
            for entry in file.entries {
                if let machine = entry.machine { #expect(file.entry(forHost: machine) == entry, "seed \(seed)") }
            }
            let lines = file.entries.map { entry in
                let start = entry.machine.map { "machine \(quoted($0))" } ?? "default"
                return "\(start) login \(quoted(entry.login)) password \(quoted(entry.password))"
            }
            #expect(try NetrcFile(lines.joined(separator: "\n")) == file, "seed \(seed)")
        }
    }

    /// Returns a word in double quotes, with the escapes of netrc files.
    private func quoted(_ word: String) -> String {
        let escapes: [Unicode.Scalar: String] = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"]
        return "\"" + word.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "\""
    }

    // MARK: - The interceptor

    private func authorization(_ text: String, _ configure: (inout URLRequest) -> Void = { _ in }) throws -> String? {
        let interceptor = NetrcInterceptor(try NetrcFile("machine a.example login ada password x"))
        #expect(interceptor.failureStatusCodes.isEmpty)
        let task = InterceptedTask(text)
        var request = task.request
        configure(&request)
        let sent = try interceptor.adaptImmediately(request, for: task.attempt())
        return sent?.value(forHTTPHeaderField: "Authorization")
    }

    @Test("User name and password are sent to the host of the entry")
    func interceptor() async throws {
        let basic = "Basic " + Data("ada:x".utf8).base64EncodedString()
        #expect(try authorization("https://a.example/") == basic)
        #expect(try authorization("http://A.example:8080/") == basic)
        #expect(try authorization("https://b.example/") == nil)
        #expect(try authorization("https://a.example.evil.example/") == nil)
        #expect(try authorization("https://bob:y@a.example/") == nil)
        let own = try authorization("https://a.example/") { $0.setValue("Own", forHTTPHeaderField: "authorization") }
        #expect(own == "Own")
        let interceptor = NetrcInterceptor(try NetrcFile("default login ada password x"))
        #expect(try await InterceptedTask("https://c.example").authorization(interceptor) == basic)
    }

    @Test(
        "What an entry lacks is sent empty, as by curl, and nothing if it lacks both",
        arguments: [
            ("machine a.example", nil), ("machine a.example account z", nil), ("default", nil),
            ("machine a.example login ada", "ada:"), ("machine a.example password x", ":x"),
            (#"machine a.example login "" password x"#, ":x"),
            // The first entry counts.
            ("machine a.example default login d password e", nil),
        ] as [(String, String?)]
    )
    func incomplete(text: String, sent: String?) throws {
        let task = InterceptedTask("https://a.example/")
        let request = try NetrcInterceptor(try NetrcFile(text)).adaptImmediately(task.request, for: task.attempt())
        let expected = sent.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(request?.value(forHTTPHeaderField: "Authorization") == expected)
    }

    @Test(
        "An entry without user name and password leaves the request without a credential",
        arguments: ["machine 127.0.0.1", "default", "machine 127.0.0.1 login \"\" password \"\""]
    )
    func nothingSent(text: String) async throws {
        let server = try LoopbackServer { .text($0.header("Authorization") ?? "none") }
        let manager = HTTPSessionManager(configuration: .ephemeral)
        manager.interceptors = [NetrcInterceptor(try NetrcFile(text))]
        let response = await manager.response(for: .get(server.url.absoluteString, serializer: .string))
        #expect(response.value == "none")
        #expect(server.requestCount == 1)
    }

    @Test("Nothing is sent after a redirect to another origin")
    func redirected() throws {
        let interceptor = NetrcInterceptor(try NetrcFile("default login ada password x"))
        var task = InterceptedTask("https://a.example/")
        task.hasLeftOrigin = true
        let left = try interceptor.adaptImmediately(task.request, for: task.attempt())
        #expect(left?.value(forHTTPHeaderField: "Authorization") == nil)
        task.hasLeftOrigin = false
        task.url = try #require(URL(string: "https://b.example/"))
        let other = try interceptor.adaptImmediately(task.request, for: task.attempt())
        #expect(other?.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test("Descriptions do not contain the password")
    func descriptions() throws {
        let file = try NetrcFile("machine a login \(SecretScan.user) password \(SecretScan.password)")
        for value in [file, file.entries, NetrcInterceptor(file)] as [Any] {
            #expect(SecretScan.findings(in: value) == [])
            var text = ""
            dump(value, to: &text)
            #expect(!text.contains(SecretScan.password))
        }
    }
}
