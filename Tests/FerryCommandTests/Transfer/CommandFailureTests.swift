import Ferry
import Testing

@testable import FerryCommand

@Suite("Failures")
struct CommandFailureTests {
    @Test(
        "Every error is mapped to an exit status",
        arguments: [
            (URLError.Code.timedOut, FerryCommand.ExitStatus.timeout), (.cannotFindHost, .lookup),
            (.cannotConnectToHost, .network),
            (.networkConnectionLost, .network), (.cannotParseResponse, .network), (.httpTooManyRedirects, .redirects),
            (.secureConnectionFailed, .tls), (.serverCertificateHasUnknownRoot, .certificate),
            (.serverCertificateUntrusted, .certificate), (.badURL, .usage), (.unsupportedURL, .usage),
            (.cannotOpenFile, .file), (.requestBodyStreamExhausted, .file), (.cancelled, .interrupted),
            (.unknown, .network),
        ]
    )
    func statuses(_ code: URLError.Code, _ status: FerryCommand.ExitStatus) {
        #expect(CommandFailure.status(of: URLError(code)) == status)
    }

    @Test("A message starts with the URL, without credentials, and states the reason")
    func messages() throws {
        let url = try #require(URL(string: "http://ada:secret@a/b"))
        let error = URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: "Connection refused"])
        #expect(CommandFailure(error, url: url).message == "http://a/b: Connection refused")
        #expect(CommandFailure(CancellationError(), url: url).status == .interrupted)
    }

    @Test(
        "A timeout is named after its option",
        arguments: [
            (CurlSessionError.Code.inactivityTimeout, "--timeout"), (.resourceTimeout, "--max-time"),
            (.connectTimeout, "--connect-timeout"), (.deadlineExceeded, "--deadline"),
        ]
    )
    func deadlines(_ code: CurlSessionError.Code, _ option: String) throws {
        let url = try #require(URL(string: "http://a"))
        let error = URLError(.timedOut, userInfo: [NSUnderlyingErrorKey: CurlSessionError(code, "late")])
        let failure = CommandFailure(error, url: url)
        #expect(failure.status == .timeout)
        #expect(failure.message.contains(option))
    }
}
