import FerryFormats
import Foundation
import Testing

@Suite("Errors")
struct NetworkErrorTests {
    struct Foreign: Error {}

    static let urlErrors: [(URLError.Code, NetworkError.Code)] = [
        (.cancelled, .cancelled), (.badURL, .badURL), (.timedOut, .timedOut), (.unsupportedURL, .unsupportedURL),
        (.cannotFindHost, .cannotFindHost), (.dnsLookupFailed, .cannotFindHost),
        (.cannotConnectToHost, .cannotConnectToHost), (.networkConnectionLost, .connectionLost),
        (.resourceUnavailable, .resourceUnavailable),
        (.httpTooManyRedirects, .tooManyRedirects), (.notConnectedToInternet, .notConnected),
        (.badServerResponse, .badServerResponse), (.cannotParseResponse, .badServerResponse),
        (.userAuthenticationRequired, .authenticationRequired), (.cannotDecodeContentData, .cannotDecodeContent),
        (.dataLengthExceedsMaximum, .responseTooLarge), (.fileDoesNotExist, .fileError),
        (.cannotMoveFile, .moveFailed), (.secureConnectionFailed, .secureConnectionFailed),
        (.serverCertificateHasBadDate, .certificateUntrusted), (.serverCertificateUntrusted, .certificateUntrusted),
        (.serverCertificateHasUnknownRoot, .certificateUntrusted),
        (.clientCertificateRequired, .clientCertificateRejected),
        (.requestBodyStreamExhausted, .bodyStreamExhausted), (.unknown, .unknown),
    ]

    @Test("A URLError is mapped to a code, keeps its number, and is the underlying error", arguments: urlErrors)
    func urlError(code: URLError.Code, expected: NetworkError.Code) {
        let error = NetworkError(transport: URLError(code))
        #expect(error.code == expected)
        #expect((error.underlyingError as? URLError)?.code == code)
        #expect(error.nsError.domain == NSURLErrorDomain)
        #expect(error.nsError.code == code.rawValue)
        #expect((error as NSError).code == code.rawValue)
        #expect((error as NSError).domain == NSURLErrorDomain)
    }

    static let otherErrors: [(any Error, NetworkError.Code)] = [
        (CancellationError(), .cancelled), (Foreign(), .unknown),
        (NSError(domain: NSURLErrorDomain, code: -1003), .cannotFindHost),
        (NSError(domain: NSURLErrorDomain, code: 4711), .unknown),
        (NSError(domain: "other", code: -1003), .unknown),
        (CocoaError(.fileNoSuchFile), .fileError), (CocoaError(.fileWriteOutOfSpace), .fileError),
        (CocoaError(.userCancelled), .cancelled), (CocoaError(.propertyListReadCorrupt), .decodingFailed),
        (POSIXError(.ECONNREFUSED), .cannotConnectToHost), (POSIXError(.ETIMEDOUT), .timedOut),
        (POSIXError(.EPIPE), .connectionLost), (POSIXError(.ENOSPC), .fileError),
        (POSIXError(.ENETUNREACH), .notConnected), (POSIXError(.EDOM), .unknown),
        (DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "")), .decodingFailed),
        (EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "")), .encodingFailed),
    ]

    @Test("Cocoa, POSIX, coding and unknown errors are mapped to a code", arguments: otherErrors.indices)
    func otherError(row: Int) {
        let (error, code) = Self.otherErrors[row]
        #expect(NetworkError(transport: error).code == code, "\(error)")
    }

    @Test("A certificate problem that FoundationNetworking reports only as text is recognized")
    func certificateText() {
        func error(_ text: String) -> NetworkError {
            let cause = NSError(domain: NSURLErrorDomain, code: -1, userInfo: [NSLocalizedDescriptionKey: text])
            return NetworkError(
                transport: NSError(domain: NSURLErrorDomain, code: -1, userInfo: [NSUnderlyingErrorKey: cause])
            )
        }
        #expect(error("SSL certificate problem: certificate has expired").code == .certificateUntrusted)
        #expect(error("SSL certificate problem: certificate has expired").isCertificateError)
        #expect(error("OpenSSL/3.0.22: error:0A00014D").code == .secureConnectionFailed)
        #expect(error("Failed writing header").code == .unknown)
    }

    @Test("Missing properties are filled in from request and response")
    func filledIn() throws {
        let sample = SampleResponse(503, nil, "busy")
        let resume = Data("resume".utf8)
        let cause = NSError(
            domain: NSURLErrorDomain,
            code: -1005,
            userInfo: ["NSURLSessionDownloadTaskResumeData": resume]
        )
        let error = NetworkError(
            transport: cause,
            request: try sample.request(),
            response: try sample.http(),
            data: sample.body
        )
        #expect(error.failingURL?.absoluteString == "http://example.com/path")
        #expect(error.statusCode == 503)
        #expect(error.data == sample.body)
        #expect(error.resumeData == resume)
        #expect(error.message == "The connection to the host was lost (example.com)")
        #expect(error.localizedDescription == error.message)
        let again = NetworkError(
            transport: NetworkError(.moveFailed, message: "No room"),
            request: try sample.request(),
            response: try sample.http()
        )
        #expect(again.code == .moveFailed)
        #expect(again.message == "No room")
        #expect(again.underlyingError == nil)
        #expect(again.statusCode == 503)
    }

    @Test("An error bridges to the domains, numbers and keys of AFNetworking")
    func bridging() throws {
        let sample = SampleResponse(404, "text/html", "<p>")
        let outcome = Validation(contentTypes: ["application/json"])
            .validate(response: try sample.http(), data: sample.body)
        let status = try #require(outcome.error).nsError
        #expect(status.domain == "com.alamofire.error.serialization.response")
        #expect(status.code == -1011)
        #expect(status.localizedDescription == "Request failed: Not Found (404) for http://example.com/path")
        #expect(status.localizedFailureReason == status.localizedDescription)
        #expect((status.userInfo["NSErrorFailingURLKey"] as? URL)?.path == "/path")
        #expect(status.userInfo["NSErrorFailingURLStringKey"] as? String == "http://example.com/path")
        let response = status.userInfo["com.alamofire.serialization.response.error.response"] as? HTTPURLResponse
        #expect(response?.statusCode == 404)
        #expect(status.userInfo["com.alamofire.serialization.response.error.data"] as? Data == sample.body)
        let type = try #require(status.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(type.domain == "com.alamofire.error.serialization.response")
        #expect(type.code == -1016)
        let parse = try SampleResponse(500, "application/json", "{").serialized(by: .json).error?.nsError
        #expect(parse?.domain == NSCocoaErrorDomain)
        #expect(parse?.code == 3840)
        #expect((parse?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == -1011)
        let request = NetworkError(.invalidParameters, message: "x").nsError
        #expect(request.domain == "com.alamofire.error.serialization.request")
        #expect(request.code == -1016)
        let file = NetworkError(.moveFailed, message: "x", underlyingError: CocoaError(.fileWriteFileExists)).nsError
        #expect(file.domain == NSCocoaErrorDomain)
        #expect(file.code == CocoaError.Code.fileWriteFileExists.rawValue)
        #expect(NetworkError(.resourceUnavailable, message: "x").nsError.code == -1008)
        let own = NetworkError(NetworkError.Code(rawValue: "quotaExceeded"), message: "Too much").nsError
        #expect(own.code == -1)
    }

    @Test("The failing URL is available as a URL and as a string, without user and password")
    func failingURL() throws {
        let url = try #require(URL(string: "http://user:secret@example.com/path?a=1"))
        let error = NetworkError(transport: URLError(.timedOut), request: URLRequest(url: url))
        for bridged in [error.nsError, error as NSError] {
            #expect(bridged.userInfo["NSErrorFailingURLKey"] as? URL == URL(string: "http://example.com/path?a=1"))
            #expect(bridged.userInfo["NSErrorFailingURLStringKey"] as? String == "http://example.com/path?a=1")
        }
        #expect(NetworkError(.noValue, message: "x").nsError.userInfo["NSErrorFailingURLStringKey"] == nil)
    }

    @Test("Queries such as isTimeout and isRetryable consider the whole chain of errors")
    func questions() throws {
        let timeout = NetworkError(transport: URLError(.timedOut))
        #expect(timeout.isTimeout && timeout.isRetryable && !timeout.isCancelled)
        #expect(NetworkError(transport: CancellationError()).isCancelled)
        #expect(!NetworkError(transport: CancellationError()).isRetryable)
        #expect(!NetworkError(transport: URLError(.resourceUnavailable)).isRetryable)
        for code in [CurlSessionError.Code.httpVersionUnsupported, .httpVersionRefused, .invalidProxy] {
            let error = URLError.ferry(.cannotConnectToHost, url: nil, reason: code, "x")
            #expect(!NetworkError(transport: error).isRetryable, "\(code)")
        }
        let wrapped = NetworkError(.unknown, message: "x", underlyingError: timeout)
        #expect(wrapped.isTimeout)
        #expect(!wrapped.contains(.cancelled))
        for (status, isRetryable) in [(408, true), (429, true), (500, true), (503, true), (404, false), (501, false)] {
            let error = Validation().validate(response: try SampleResponse(status).http(), data: nil).error
            #expect(error?.isRetryable == isRetryable, "\(status)")
        }
        #expect("\(wrapped)" == "unknown: x [underlying error: \(timeout)]")
    }
}
