import FerryFormats
import Foundation
import Testing

@Suite("Request serialization errors")
struct RequestSerializationErrorTests {
    @Test("An error bridges to AFNetworking's domain with message, URL and cause")
    func bridging() {
        let cause = CocoaError(.fileNoSuchFile)
        let error =
            RequestSerializationError(
                .fileUnreachable,
                reason: "File URL not reachable.",
                failingURL: "file:///x",
                underlyingError: cause
            ) as NSError
        #expect(error.domain == "com.alamofire.error.serialization.request")
        #expect(error.code == -1000)
        #expect(error.localizedDescription == "File URL not reachable.")
        #expect(error.localizedFailureReason == "File URL not reachable.")
        #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == "file:///x")
        #expect((error.userInfo[NSUnderlyingErrorKey] as? CocoaError)?.code == .fileNoSuchFile)
    }

    @Test(
        "Kinds map to AFNetworking's codes",
        arguments: [
            (.invalidURL, -1000), (.fileUnreachable, -1000), (.fileChanged, -1000), (.fileNotWritten, -1000),
            (.invalidParameters, -1016), (.unencodableText, -1016), (.invalidHeader, -1016), (.streamFailed, -1016),
            (RequestSerializationError.Code(rawValue: "own"), -1016),
        ] as [(RequestSerializationError.Code, Int)]
    )
    func codes(code: RequestSerializationError.Code, expected: Int) {
        #expect((RequestSerializationError(code, reason: "") as NSError).code == expected)
    }

    @Test("Without URL and cause their userInfo keys are absent")
    func absent() {
        let userInfo = (RequestSerializationError(.invalidMethod, reason: "r") as NSError).userInfo
        #expect(userInfo["NSErrorFailingURLStringKey"] == nil)
        #expect(userInfo[NSUnderlyingErrorKey] == nil)
    }
}
