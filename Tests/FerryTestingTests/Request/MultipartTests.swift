import FerryTesting
import Foundation
import Testing

struct MultipartTests {
    private func request(_ body: String, type: String = "multipart/form-data; boundary=\"b b\"") -> LoopbackRequest {
        LoopbackRequest(method: "POST", headers: ["Content-Type": type], body: Data(body.utf8))
    }

    @Test("Parts have names, file names, header fields and bodies") func parts() throws {
        let body =
            "--b b\r\nContent-Disposition: form-data; name=\"a; b\"\r\n\r\none\r\n"
            + "--b b\r\nContent-Disposition: form-data; name=f; filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\n"
            + "two\r\n--b\r\n\r\n--b b--\r\n"
        let parts = try #require(request(body).multipartParts)
        #expect(parts.map(\.name) == ["a; b", "f"])
        #expect(parts.map(\.filename) == [nil, "x.txt"])
        #expect(parts.map(\.text) == ["one", "two\r\n--b\r\n"])
        #expect(parts.last?.headers["content-type"] == "text/plain")
    }

    @Test(
        "A truncated or malformed body has no parts",
        arguments: [
            "", "--b b", "--b b\r\nX: y\r\n\r\none", "--b b\r\nX\r\n\r\none\r\n--b b--", "--b bX\r\n\r\n\r\n--b b--",
        ]
    ) func malformed(body: String) {
        #expect(request(body).multipartParts == nil)
    }

    @Test("Other types have no parts") func otherTypes() {
        #expect(request("x", type: "text/plain").multipartParts == nil)
        #expect(request("x", type: "multipart/mixed").multipartParts == nil)
        #expect(LoopbackRequest().multipartParts == nil)
    }

    @Test("Form items are decoded, plus signs as spaces") func form() {
        let form = request("a=1+2&b=%2B&a=3", type: "application/x-www-form-urlencoded; charset=utf-8").formItems
        #expect(form?.map(\.name) == ["a", "b", "a"])
        #expect(form?.map(\.value) == ["1 2", "+", "3"])
        #expect(request("a=1", type: "text/plain").formItems == nil)
    }
}
