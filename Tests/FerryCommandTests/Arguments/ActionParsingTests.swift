import Ferry
import Foundation
import Testing

@testable import FerryCommand

@Suite("Command lines")
struct ActionParsingTests {
    private func options(_ arguments: String...) throws -> FetchOptions {
        guard case .fetch(let options) = try Action(parsing: arguments) else {
            throw UsageError("not a transfer")
        }
        return options
    }

    @Test("demo demonstrates the library; help and version take precedence over all that follows")
    func actions() throws {
        #expect(try Action(parsing: []) == .showUsage)
        #expect(try Action(parsing: ["demo"]) == .demonstrate)
        #expect(try options("demo", "http://a").urls.map(\.absoluteString) == ["https://demo", "http://a"])
        #expect(try Action(parsing: ["-h", "-o"].dropLast()) == .showHelp)
        #expect(try Action(parsing: ["-s", "--version", "http://a"]) == .showVersion)
        #expect(try Action(parsing: ["queue", "--dir", "q", "--help"]) == .showHelp)
    }

    @Test("Every option is parsed")
    func everything() throws {
        let options = try options(
            "-X",
            "PATCH",
            "-H",
            "A: b",
            "-HC:",
            "-d",
            "one",
            "-d@two",
            "-o",
            "file",
            "-O",
            "-i",
            "-L",
            "--timeout=1.5",
            "--max-time",
            "2",
            "--connect-timeout",
            "0.25",
            "--cacert",
            "ca.pem",
            "--proxy",
            "localhost:3128",
            "--deadline=30",
            "-u",
            "ada:a:b",
            "--netrc-file",
            "netrc",
            "--retry",
            "3",
            "--retry-max-time",
            "20",
            "--retry-all-errors",
            "-P",
            "8",
            "-fsv",
            "http://a/1",
            "http://a/2"
        )
        #expect(options.effectiveMethod == "PATCH")
        #expect(options.headers == [HeaderLine(name: "A", value: "b"), HeaderLine(name: "C", value: nil)])
        #expect(options.body == [.text("one"), .fileWithoutBreaks("two")])
        #expect(options.destination(at: 0) == .file("file"))
        #expect(options.destination(at: 1) == .remoteName)
        #expect(options.includesHead && options.followsRedirects)
        #expect(options.dropsErrorBodies && options.isSilent && options.isVerbose)
        #expect(options.timeout == 1.5)
        #expect(options.maxTime == 2)
        #expect(options.connectTimeout == 0.25)
        #expect(options.certificateFile == "ca.pem")
        #expect(options.proxy == .server(try #require(URL(string: "http://localhost:3128"))))
        #expect(options.deadline == 30)
        #expect(options.credential == .basic(user: "ada", password: "a:b"))
        #expect(options.netrcFile == "netrc")
        #expect(options.retries == 3 && options.retryMaxTime == 20 && options.retriesAllErrors)
        #expect(options.parallel == 8)
        #expect(options.urls.map(\.absoluteString) == ["http://a/1", "http://a/2"])
    }

    @Test("Pins add up, and apply to every host")
    func pins() throws {
        let texts = ["sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8=", String(repeating: "A", count: 43) + "="]
        let options = try options("--pin", texts[0], "--pin=\(texts[1])", "http://a")
        #expect(options.pins.map(\.base64) == [String(texts[0].dropFirst(8)), texts[1]])
        let session = try CurlSession.make(options)
        #expect(session.options.tls.publicKeyPins == ["*": options.pins])
        session.invalidateAndCancel()
    }

    @Test(
        "curl's options choose the versions of HTTP, the last one where there are several",
        arguments: [
            (["--http1.1"], HTTPVersions.http1), (["--http2"], .automatic),
            (["--http2-prior-knowledge"], .http2PriorKnowledge), (["--http3"], .http3), (["--http3-only"], .http3Only),
            (["--http3", "--http1.1"], .http1), ([], .automatic),
        ]
    )
    func httpVersions(_ arguments: [String], _ versions: HTTPVersions) throws {
        guard case .fetch(let options) = try Action(parsing: arguments + ["http://a"]) else {
            throw UsageError("not a transfer")
        }
        let session = try CurlSession.make(options)
        #expect(session.options.httpVersions == versions)
        session.invalidateAndCancel()
    }

    @Test("The method follows from the body unless it is given")
    func methods() throws {
        #expect(try options("http://a").effectiveMethod == "GET")
        #expect(try options("-d", "x", "http://a").effectiveMethod == "POST")
        #expect(try options("-T", "x", "http://a").effectiveMethod == "PUT")
        #expect(try options("-I", "http://a").effectiveMethod == "HEAD")
        #expect(try options("--json", "{}", "http://a").effectiveMethod == "POST")
        #expect(try options("-F", "a=b", "http://a").effectiveMethod == "POST")
        #expect(try options("-X", "DELETE", "-d", "x", "http://a").effectiveMethod == "DELETE")
    }

    @Test("Bodies are written to standard output unless files are named")
    func destinations() throws {
        #expect(try options("http://a").destination(at: 0) == .standardOutput)
        #expect(try options("-o", "-", "http://a").destination(at: 0) == .standardOutput)
        #expect(try !options("--no-redirect", "http://a").followsRedirects)
        let mixed = try options("-O", "http://a", "-o", "two", "http://b", "http://c")
        #expect((0..<3).map { mixed.destination(at: $0) } == [.remoteName, .file("two"), .remoteName])
        #expect(try options("-OO", "http://a").destination(at: 0) == .remoteName)
    }

    @Test(
        "Invalid combinations and values are refused with a reason",
        arguments: [
            (["-s"], "There is no URL"),
            (["-O", "-o", "b", "http://a"], "There are more --output and --remote-name options (2) than URLs (1)"),
            (["-O", "--lines", "http://a"], "--lines and --remote-name cannot be combined"),
            (["-e", ";auto", "--sse", "http://a"], "--sse and ;auto of --referer cannot be combined"),
            (["-d", "x", "-T", "y", "http://a"], "--data and --upload-file cannot be combined"),
            (["-H", "Host: a", "-H", "HOST: b", "http://a"], "The header field Host can be given only once"),
            (["-F", "x=y", "--json", "{}", "http://a"], "--json and --form cannot be combined"),
            (["-I", "-d", "x", "http://a"], "--head sends no body and cannot be combined with --data"),
            (["-F", "=x", "http://a"], "A form part must be NAME=VALUE, NAME=@FILE or NAME=<FILE, not '=x'"),
            (["-F", "x", "http://a"], "A form part must be NAME=VALUE, NAME=@FILE or NAME=<FILE, not 'x'"),
            (["-F", "x=@", "http://a"], "The part x needs a file name"),
            (["-F", "x=y;type=z", "http://a"], "'z' is not a valid type for the part x"),
            (["-F", "x=@y;type=a/b,z", "http://a"], "'a/b,z' is not a valid type for the part x"),
            (["-F", "x=y;type=a/", "http://a"], "'a/' is not a valid type for the part x"),
            (["-F", "x=@y; headers=@z", "http://a"], "The part x has headers=, which --form lacks"),
            (["-F", "x=y;encoder=base64", "http://a"], "The part x has encoder=, which --form lacks"),
            (["-F", "x=\"y\"z", "http://a"], "The part x has 'z' after the closing quote"),
            (["-CO", "-F", "x=y", "http://a"], "--continue needs a plain GET into a file, without --include"),
            (["-C", "http://a"], "--continue needs a file: --output or --remote-name"),
            (["-C", "-z", "2026-11-01", "-o", "a", "http://a"], "--continue cannot be used with --time-cond"),
            (["--no-redirect", "--lines", "http://a"], "--lines and --no-redirect cannot be combined"),
            (["--digest", "-u", "a:b", "--sse", "http://a"], "--sse and --digest cannot be combined"),
            (["-c", "jar", "--sse", "http://a"], "--sse and --cookie-jar cannot be combined"),
            (
                ["-O", "--connections", "2", "--no-redirect", "http://a"],
                "--connections and --no-redirect cannot be combined"
            ),
            (
                ["-O", "--connections", "2", "-z", "2025-01-01", "http://a"],
                "--connections and --time-cond cannot be combined"
            ),
            (["-CO", "-d", "x", "http://a"], "--continue needs a plain GET into a file, without --include"),
            (["-COi", "http://a"], "--continue needs a plain GET into a file, without --include"),
            (["-CO", "-r", "0-1", "http://a"], "--continue sets the header field Range itself"),
            (["-r", "a-b", "http://a"], "--range takes ranges of bytes such as 0-499, not 'a-b'"),
            (["-f", "--fail-with-body", "http://a"], "--fail and --fail-with-body cannot be combined"),
            (["-G", "-F", "a=b", "http://a"], "--get sends no body and cannot be combined with --form"),
            (["--key", "k", "http://a"], "--key needs --cert"),
            (["--cert", "a.p12", "--key", "k", "http://a"], "A PKCS#12 file has its own key; omit --key"),
            (["--cert", ":s3cret", "http://a"], "--cert needs a file name"),
            (["--resolve", "a:80", "http://a"], "--resolve takes HOST:PORT:ADDRESS, not 'a:80'"),
            (["--doh-url", "http://a/", "http://a"], "--doh-url takes an https URL, not 'http://a/'"),
            (["--resolve", "a:0:::1", "http://a"], "--resolve takes HOST:PORT:ADDRESS, not 'a:0:::1'"),
            (["--resolve", "*:80:::1", "http://a"], "--resolve takes the name of a host, not '*'"),
            (["--resolve", "a:80:b", "http://a"], "--resolve takes numeric addresses, not 'b'"),
            (["-H", "Host:", "http://a"], "The header field Host cannot be left out"),
            (["-A", "a\nb", "http://a"], "The value of User-Agent has a line break"),
            (["-CO", "-H", "range: bytes=0-", "http://a"], "--continue sets the header field range itself"),
            (["-X", "A B", "http://a"], "'A B' is not a valid request method"),
            (["-X", "CONNECT", "http://a"], "'CONNECT' is not a valid request method"),
            (["-H", "nothing", "http://a"], "A header field needs a colon: 'nothing'"),
            (["-H", "a b: c", "http://a"], "'a b' is not a valid header field name"),
            (["-H", "a: b\r\nc: d", "http://a"], "The value of a has a line break"),
            (["--batch", "f", "-o", "x"], "--output cannot be combined with --batch; use --remote-name"),
            (["--batch", ""], "--batch needs a file name"),
            (["-P", "0", "http://a"], "--parallel-max takes a number from 1 to 256, not '0'"),
            (["-P", "x", "http://a"], "--parallel-max takes a number from 1 to 256, not 'x'"),
            (["--timeout", "-1", "http://a"], "--timeout takes seconds such as 2.5, not '-1'"),
            (["--max-time", "nan", "http://a"], "--max-time takes seconds such as 2.5, not 'nan'"),
            (["--deadline", "inf", "http://a"], "--deadline takes seconds such as 2.5, not 'inf'"),
            (["-m", "x", "http://a"], "--max-time takes seconds such as 2.5, not 'x'"),
            (["--retry", "-1", "http://a"], "--retry takes a number from 0 to 1000, not '-1'"),
            (["--retry", "1001", "http://a"], "--retry takes a number from 0 to 1000, not '1001'"),
            (
                ["--retry", "99999999999999999999", "http://a"],
                "--retry takes a number from 0 to 1000, not '99999999999999999999'"
            ),
            (["--retry", "2.5", "http://a"], "--retry takes a number from 0 to 1000, not '2.5'"),
            (
                ["--retry", "1", "--retry-max-time", "soon", "http://a"],
                "--retry-max-time takes seconds such as 2.5, not 'soon'"
            ),
            (["--retry-max-time", "1", "http://a"], "--retry-max-time needs --retry"),
            (["--retry-all-errors", "http://a"], "--retry-all-errors needs --retry"),
            (["--retry-delay", "1", "http://a"], "--retry-delay needs --retry"),
            (["--max-redirs", "-2", "http://a"], "--max-redirs takes a number from -1 to 1000000, not '-2'"),
            (["--digest", "http://a"], "--digest needs --user"),
            (["--digest", "--oauth2-bearer", "x", "http://a"], "--digest needs --user"),
            (["-u", "ada", "http://a"], "--user takes NAME:PASSWORD"),
            (["--oauth2-bearer", "a b", "http://a"], "--oauth2-bearer takes a token of visible ASCII characters"),
            (["--oauth2-bearer", "", "http://a"], "--oauth2-bearer takes a token of visible ASCII characters"),
            (["-u", "a:b", "--oauth2-bearer", "c", "http://a"], "--user and --oauth2-bearer cannot be combined"),
            (["-u", "a:b", "-H", "authorization: c", "http://a"], "--user sets the header field authorization itself"),
            (["--netrc-file", "", "http://a"], "--netrc-file needs a file name"),
            (["--connect-timeout", "1s", "http://a"], "--connect-timeout takes seconds such as 2.5, not '1s'"),
            (["-o", "", "http://a"], "--output needs a file name"),
            (
                ["--pin", "sha256//AAAA", "http://a"],
                "--pin takes the SHA-256 hash of a public key as sha256//BASE64, not 'sha256//AAAA'"
            ),
            (
                ["--proxy", "ftp://a", "http://a"],
                "A proxy must be http, https, socks4, socks4a, socks5 or socks5h, not 'ftp://a'"
            ),
            (["ftp://a/b"], "Only http and https URLs are supported, not 'ftp://a/b'"),
            (["http://"], "'http://' is not a URL"), ([":foo"], "':foo' is not a URL"),
            ([":80.example"], "':80.example' is not a URL"),
        ]
    )
    func refuses(_ arguments: [String], _ message: String) {
        #expect(throws: UsageError(message)) { try Action(parsing: arguments) }
    }

    @Test(
        "A URL without a scheme is https, or http for this machine",
        arguments: [
            ("example.com", "https://example.com"), ("example.com:8443/a?b", "https://example.com:8443/a?b"),
            ("localhost:8080/a", "http://localhost:8080/a"), ("127.0.0.1:80", "http://127.0.0.1:80"),
            ("[::1]:80/a", "http://[::1]:80/a"), ("localhost.example", "https://localhost.example"),
            ("LOCALHOST:80", "http://LOCALHOST:80"), ("127.1", "http://127.1"), ("[::1]:80", "http://[::1]:80"),
            ("127.0.0.1.example.com", "https://127.0.0.1.example.com"), ("127.example", "https://127.example"),
            ("localhost:pw@example.com/", "https://localhost:pw@example.com/"), ("128.0.0.1", "https://128.0.0.1"),
            ("127.0.0.1:80/?u=http://b/", "http://127.0.0.1:80/?u=http://b/"),
            (":80/?u=http://b/", "http://localhost:80/?u=http://b/"),
            ("example.com?u=http://b/", "https://example.com?u=http://b/"),
            ("HTTP://a", "HTTP://a"), (":8080/a?b=c", "http://localhost:8080/a?b=c"), (":/a", "http://localhost/a"),
            (":", "http://localhost"), (":8080", "http://localhost:8080"),
        ]
    )
    func completesURLs(_ text: String, _ url: String) throws {
        #expect(try URLArgument.parse(text).absoluteString == url)
    }

    @Test("Credentials in a URL do not appear in messages")
    func hidesCredentials() throws {
        let url = try URLArgument.parse("https://ada:secret@example.com/a?b=c")
        #expect(url.withoutCredentials == "https://example.com/a?b=c")
    }

    @Test(
        "Usage errors contain no credentials and no secret parameters",
        arguments: [
            ["ftp://ada:s3cret@h/"], ["http://ada:s3cret@"], ["http://ada:s3cret@h h/"], ["ada:s3/cret@h:x"],
            ["http://h h/?access_token=s3cret"], ["--proxy", "ftp://ada:s3cret@h", "http://h"],
            ["--proxy", "http://ada:s3cret@", "http://h"], ["-H", "Authorization s3cret", "http://h"],
            ["--usr=ada:s3cret", "http://h"], ["-u", "adas3cret", "http://h"],
            ["--oauth2-bearer", "ada s3cret", "http://h"], ["-u", "ada:s3cret", "--oauth2-bearer", "x", "http://h"],
            ["--verbose=s3cret", "http://h"], ["--cert", ":ada:s3cret", "http://h"],
            ["--resolve", "http://h/?token=s3cret", "http://h"], ["--pin", "http://h/?token=s3cret", "http://h"],
            ["-r", "http://h/?token=s3cret", "http://h"], ["--limit-rate", "http://h/?token=s3cret", "http://h"],
            ["--retry", "http://h/?token=s3cret", "http://h"], ["-m", "http://h/?token=s3cret", "http://h"],
            ["-X", "http://h/?token=s3cret", "http://h"], ["--timeline", "http://h/?token=s3cret", "http://h"],
            ["--completion", "http://h/?token=s3cret"], ["-F", "=http://h/?token=s3cret", "http://h"],
            ["-w", "%{http://h/?token=s3cret}", "http://h"], ["-H", "x?token=s3cret y:z", "http://h"],
        ]
    )
    func usageErrors(_ arguments: [String]) throws {
        let error = #expect(throws: UsageError.self) { try Action(parsing: arguments) }
        let message = try #require(error?.message)
        #expect(!message.contains("s3cret"))
        #expect(!message.contains("ada"))
    }

    @Test("More header fields than any server accepts are refused, since each one costs time")
    func manyFields() {
        let fields = (0...1_000).flatMap { ["-H", "X-\($0): a"] }
        #expect(throws: UsageError("There are more than 1000 header fields")) {
            try Action(parsing: fields + ["http://a"])
        }
        #expect(throws: Never.self) { try Action(parsing: fields.dropFirst(2) + ["http://a"]) }
    }

    @Test("curl's options for data are parsed as curl does")
    func data() throws {
        let options = try options(
            "-d@f",
            "--data-raw=@f",
            "--data-binary",
            "@f",
            "--data-urlencode",
            "a b",
            "--data-urlencode",
            "=a=b",
            "--data-urlencode",
            "n=v@w",
            "--data-urlencode",
            "n@f",
            "--data-urlencode",
            "@f",
            "http://a"
        )
        #expect(
            options.body == [
                .fileWithoutBreaks("f"), .text("@f"), .file("f"), .encoded(prefix: "", text: "a b"),
                .encoded(prefix: "", text: "a=b"), .encoded(prefix: "n=", text: "v@w"),
                .encodedFile(prefix: "n=", path: "f"), .encodedFile(prefix: "", path: "f"),
            ]
        )
        #expect(try self.options("-G", "-d", "a=b", "http://a").effectiveMethod == "GET")
        #expect(try self.options("-GI", "-d", "a=b", "http://a").effectiveMethod == "HEAD")
    }

    @Test("Options of connections and files are parsed as curl does")
    func connections() throws {
        let options = try options(
            "-k",
            "-x",
            "",
            "-E",
            #"a\:b\\c.pem:p:q"#,
            "--key",
            "k",
            "--resolve",
            "h:80:127.0.0.1,[::1]",
            "--unix-socket",
            "/s",
            "--output-dir",
            "out",
            "-o",
            "f",
            "--url",
            "http://a/1",
            "http://a/2"
        )
        #expect(options.acceptsAnyCertificate && options.proxy == ProxyArgument.none)
        #expect(options.clientCertificate == CertificateArgument(path: #"a:b\c.pem"#, passphrase: "p:q"))
        #expect(options.addresses == ["h:80": ["127.0.0.1", "::1"]])
        #expect(options.destination(at: 0) == .file("out/f"))
        #expect(options.urls.map(\.path) == ["/1", "/2"])
        let session = try CurlSession.make(try self.options("-k", "--unix-socket", "/s", "-x", "", "http://a"))
        #expect(session.options.tls.dangerouslyDisablesVerification)
        #expect(session.options.network.unixSocket == .path("/s") && session.options.proxy == .none)
        session.invalidateAndCancel()
    }

    @Test("-C accepts curl's hyphen")
    func continueHyphen() throws {
        for arguments in [["-C", "-", "-O"], ["-OC", "-"], ["-O", "--continue", "-"]] {
            guard case .fetch(let options) = try Action(parsing: arguments + ["http://a/b"]) else {
                Issue.record("not a transfer")
                continue
            }
            #expect(options.continuesDownloads && options.urls.count == 1)
        }
    }

    @Test("The help text names every option and every exit status")
    func helpIsComplete() {
        let text = HelpText.text
        for option in Option.allCases { #expect(text.contains("--\(option.rawValue)")) }
        for status in ExitStatus.allCases { #expect(text.contains("\(status.rawValue)  \(status.meaning)")) }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }
}
