import Foundation
import Testing

@testable import FerryAPI

@Suite("Responses of token endpoints")
struct OAuth2ResponseTests {
    private let now = Date(timeIntervalSince1970: 1_000)

    private func token(
        _ json: String,
        status: Int = 200,
        replacing old: OAuth2Token? = nil,
        secrets: [String] = [],
        scope: String? = "asked"
    ) throws(OAuth2Error) -> OAuth2Token {
        try OAuth2Response(status: status, body: Data(json.utf8), secrets: secrets)
            .token(requestedAt: now, replacing: old, scope: scope)
    }

    private func error(_ json: String, status: Int = 200, secrets: [String] = []) throws -> OAuth2Error {
        try #require(#expect(throws: OAuth2Error.self) { try token(json, status: status, secrets: secrets) })
    }

    private func with(_ member: String) -> String { #"{"access_token":"t","token_type":"bearer",\#(member)}"# }

    @Test(
        "The type of the token is compared without regard to case (RFC 6749, section 5.1)",
        arguments: ["bearer", "Bearer", "BEARER"]
    )
    func type(text: String) throws {
        #expect(try token(#"{"access_token":"t","token_type":"\#(text)"}"#).accessToken == "t")
    }

    @Test(
        "The lifetime is counted from the request, and may not overflow",
        arguments: [
            ("0", 0), ("3600", 3_600), ("\"3600\"", 3_600), ("3599.5", 3_599.5), ("9223372036854775807", 1e9),
            ("\"9223372036854775807\"", 1e9), ("1e300", 1e9), ("18446744073709551616", 1e9),
        ] as [(String, TimeInterval)]
    )
    func lifetime(text: String, seconds: TimeInterval) throws {
        #expect(try token(with("\"expires_in\":\(text)")).expirationDate == now + seconds)
    }

    @Test("Members that are missing or null are unknown")
    func unknown() throws {
        let old = OAuth2Token(accessToken: "o", refreshToken: "r", scope: "granted")
        for json in [with("\"x\":1"), with("\"expires_in\":null,\"refresh_token\":null,\"scope\":null")] {
            #expect(try token(json) == OAuth2Token(accessToken: "t", scope: "asked"))
            // The scope that was asked for may be narrower (RFC 6749, sections 5.1 and 6).
            for (scope, expected) in [("asked", "asked"), (nil, "granted")] {
                let new = OAuth2Token(accessToken: "t", refreshToken: "r", scope: expected)
                #expect(try token(json, replacing: old, scope: scope) == new)
            }
        }
    }

    @Test(
        "A response that is not as in RFC 6749 is an error",
        arguments: [
            "", "[]", "null", "token", "{}", "{\"access_token\":\"t\"}", #"{"token_type":"bearer"}"#,
            #"{"access_token":"","token_type":"bearer"}"#, #"{"access_token":1,"token_type":"bearer"}"#,
            #"{"access_token":"a\nb","token_type":"bearer"}"#, #"{"access_token":"é","token_type":"bearer"}"#,
            #"{"access_token":"t","token_type":"bearer","expires_in":-1}"#,
            #"{"access_token":"t","token_type":"bearer","expires_in":"-1"}"#,
            #"{"access_token":"t","token_type":"bearer","expires_in":"soon"}"#,
            #"{"access_token":"t","token_type":"bearer","expires_in":"9223372036854775808"}"#,
            #"{"access_token":"t","token_type":"bearer","expires_in":true}"#,
            #"{"access_token":"t","token_type":"bearer","refresh_token":""}"#,
            #"{"access_token":"t","token_type":"bearer","refresh_token":"a\u0000"}"#,
            #"{"access_token":"t","token_type":"bearer","refresh_token":{}}"#,
        ]
    )
    func malformed(json: String) throws {
        let error = try error(json)
        #expect(error.code == .malformedResponse)
        #expect(error.statusCode == 200)
    }

    @Test("A token of another type is an error", arguments: ["mac", "DPoP", "", "bearer "])
    func otherType(text: String) throws {
        #expect(try error(#"{"access_token":"t","token_type":"\#(text)"}"#).code == .unsupportedTokenType)
    }

    @Test("A status that means a failure is an error, even with a token", arguments: [204, 302, 400, 401, 500, 503])
    func status(status: Int) throws {
        for body in ["", "<html>", with("\"x\":1")] {
            #expect(try error(body, status: status).code == .unexpectedResponse)
            #expect(try error(body, status: status).statusCode == status)
        }
    }

    @Test("An error is recognized with any status")
    func errorWithSuccess() throws {
        #expect(try error(#"{"error":"invalid_scope"}"#).code == .invalidScope)
        #expect(try error(#"{"error":"slow_down"}"#, status: 429).code == OAuth2Error.Code(rawValue: "slow_down"))
    }

    @Test("Errors with invalid texts keep what is valid")
    func invalidErrors() throws {
        let long = String(repeating: "a", count: 2_000)
        for code in ["", "a\\nb", "é", long] {
            let error = try error("{\"error\":\"\(code)\"}", status: 400)
            #expect(error.code == .unexpectedResponse)
            #expect(error.statusCode == 400)
        }
        for description in ["", "a\\u0000b", "é", long] {
            let error = try error(
                "{\"error\":\"invalid_request\",\"error_description\":\"\(description)\"}",
                status: 400
            )
            #expect(error == OAuth2Error(.invalidRequest, "The token endpoint refused the request", statusCode: 400))
        }
    }

    @Test("An error contains no secret")
    func secrets() throws {
        let secrets = ["", "not", "s3cret", "t0ken", "p1n4"]
        let text = #"{"error":"invalid_grant","error_description":"as3cretb t0ken t0kens3cret p1n4 not"}"#
        let description = try error(text, status: 400, secrets: secrets).message
        let redacted = "a<redacted>b <redacted> <redacted><redacted> <redacted> not"
        #expect(description == "The token endpoint refused the request: \(redacted)")
        let code = try error(#"{"error":"not_s3cret"}"#, status: 400, secrets: secrets)
        #expect(code.code == .unexpectedResponse)
        #expect(!"\(code)".contains("s3cret"))
    }
}
