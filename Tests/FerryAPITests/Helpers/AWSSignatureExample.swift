import Foundation
import Testing

/// A request with its signature.
struct AWSSignatureExample: Sendable, CustomTestStringConvertible {
    let name: String
    var method = "GET"
    var target = "/"
    var fields: [(name: String, value: String)] = []
    var body: Data?
    var sessionToken: String?
    var signed = "host;x-amz-date"
    let signature: String

    var testDescription: String { name }
}

extension AWSSignatureExample {
    private static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUu"
        + "wthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHN"
        + "VXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA"
        + "=="
    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
    private static let postVanilla = "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"

    /// The requests of `aws-sig-v4-test-suite` that can be sent: without lines that are continued on the next one.
    ///
    /// A path there that is not ASCII is encoded once, as S3 does; see the names that end with "once".
    static let suite: [AWSSignatureExample] = [
        AWSSignatureExample(name: "get-vanilla", signature: vanilla),
        AWSSignatureExample(name: "get-vanilla-query", target: "/?", signature: vanilla),
        AWSSignatureExample(
            name: "get-header-key-duplicate",
            fields: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
            signed: "host;my-header1;x-amz-date",
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"
        ),
        AWSSignatureExample(
            name: "get-header-value-order",
            fields: [("My-Header1", "value4,value1"), ("My-Header1", "value3"), ("My-Header1", "value2")],
            signed: "host;my-header1;x-amz-date",
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"
        ),
        AWSSignatureExample(
            name: "get-header-value-trim",
            fields: [("My-Header1", " value1"), ("My-Header2", #" "a   b   c""#)],
            signed: "host;my-header1;my-header2;x-amz-date",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
        ),
        AWSSignatureExample(
            name: "get-unreserved",
            target: "/\(unreserved)",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
        ),
        AWSSignatureExample(
            name: "get-utf8, once",
            target: "/%E1%88%B4",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"
        ),
        AWSSignatureExample(
            name: "get-space, once",
            target: "/example%20space/",
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"
        ),
        AWSSignatureExample(
            name: "get-vanilla-empty-query-key",
            target: "/?Param1=value1",
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"
        ),
        AWSSignatureExample(
            name: "get-vanilla-query-order-encoded",
            target: "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
            signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"
        ),
        AWSSignatureExample(
            name: "get-vanilla-query-order-key-case",
            target: "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        AWSSignatureExample(
            name: "get-vanilla-query-order-key",
            target: "/?Param1=value2&Param1=Value1",
            signature: "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"
        ),
        AWSSignatureExample(
            name: "get-vanilla-query-order-value",
            target: "/?Param1=value2&Param1=value1",
            signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"
        ),
        AWSSignatureExample(
            name: "get-vanilla-query-unreserved",
            target: "/?\(unreserved)=\(unreserved)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
        ),
        AWSSignatureExample(
            name: "get-vanilla-utf8-query",
            target: "/?%E1%88%B4=bar",
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"
        ),
        AWSSignatureExample(
            name: "get-vanilla-with-session-token",
            sessionToken: "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
            signed: "host;x-amz-date;x-amz-security-token",
            signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"
        ),
        AWSSignatureExample(name: "normalize-path/get-relative", target: "/example/..", signature: vanilla),
        AWSSignatureExample(
            name: "normalize-path/get-relative-relative",
            target: "/example1/example2/../..",
            signature: vanilla
        ),
        AWSSignatureExample(name: "normalize-path/get-slash", target: "//", signature: vanilla),
        AWSSignatureExample(name: "normalize-path/get-slash-dot-slash", target: "/./", signature: vanilla),
        AWSSignatureExample(
            name: "normalize-path/get-slash-pointless-dot",
            target: "/./example",
            signature: "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"
        ),
        AWSSignatureExample(
            name: "normalize-path/get-slashes",
            target: "//example//",
            signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"
        ),
        AWSSignatureExample(
            name: "normalize-path/get-special-character",
            target: "/example/$delete",
            signature: "a853c9b21b528b19643d00910d35b83a10c366a10833ceefb45edd6c80e40f27"
        ),
        AWSSignatureExample(name: "post-vanilla", method: "POST", signature: postVanilla),
        AWSSignatureExample(
            name: "post-header-key-case",
            method: "POST",
            fields: [("x-amz-date", "20150830T123600Z")],
            signature: postVanilla
        ),
        AWSSignatureExample(
            name: "post-header-key-sort",
            method: "POST",
            fields: [("My-Header1", "value1")],
            signed: "host;my-header1;x-amz-date",
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"
        ),
        AWSSignatureExample(
            name: "post-header-value-case",
            method: "POST",
            fields: [("My-Header1", "VALUE1")],
            signed: "host;my-header1;x-amz-date",
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"
        ),
        AWSSignatureExample(
            name: "post-sts-header-before",
            method: "POST",
            sessionToken: token,
            signed: "host;x-amz-date;x-amz-security-token",
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"
        ),
        AWSSignatureExample(
            name: "post-vanilla-query",
            method: "POST",
            target: "/?Param1=value1",
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"
        ),
        AWSSignatureExample(
            name: "post-x-www-form-urlencoded",
            method: "POST",
            fields: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Data("Param1=value1".utf8),
            signed: "content-type;host;x-amz-date",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        ),
        AWSSignatureExample(
            name: "post-x-www-form-urlencoded-parameters",
            method: "POST",
            fields: [("Content-Type", "application/x-www-form-urlencoded; charset=utf8")],
            body: Data("Param1=value1".utf8),
            signed: "content-type;host;x-amz-date",
            signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"
        ),
    ]

    /// The examples of "Authenticating Requests: Using the Authorization Header" in the documentation of S3.
    static let s3: [AWSSignatureExample] = [
        AWSSignatureExample(
            name: "GET object",
            target: "/test.txt",
            fields: [("Range", "bytes=0-9"), ("User-Agent", "Ferry"), ("Accept-Encoding", "gzip")],
            signed: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        AWSSignatureExample(
            name: "PUT object",
            method: "PUT",
            target: "/test$file.text",
            fields: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: Data("Welcome to Amazon S3.".utf8),
            signed: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        AWSSignatureExample(
            name: "GET bucket lifecycle",
            target: "/?lifecycle",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        AWSSignatureExample(
            name: "GET bucket (list objects)",
            target: "/?max-keys=2&prefix=J",
            signed: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]
}
