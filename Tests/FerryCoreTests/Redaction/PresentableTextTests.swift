import FerryCore
import Testing

@Suite("Presentable texts")
struct PresentableTextTests {
    @Test(
        "User information is not part of a URL's text, even if the URL is invalid",
        arguments: [
            ("http://ada:s3cret@host/a?b#c", "http://host/a?b#c"),
            ("http://TOKEN@host/", "http://host/"),
            ("http://ada:s3@cret@host/", "http://host/"),
            ("http://ada:@host", "http://host"),
            ("HTTP://ada@host:80/x@y", "HTTP://host:80/x@y"),
            ("http://ada:s3cret@[::1]:80/", "http://[::1]:80/"),
            ("http://host/users/@me", "http://host/users/@me"),
            ("http://host:80/users/@me?x=a@b", "http://host:80/users/@me?x=a@b"),
            ("http://host?a@b", "http://host?a@b"),
            ("http://ada:s3/cret@host/x", "http://host/x"),
            ("http://ada:s3?cret@host/x", "http://host/x"),
            ("http://ada:s3#cret@host/x", "http://host/x"),
            ("http://ada:s3cret@/x", "http:///x"),
            ("http:///ada:s3cret@host/x", "http://host/x"),
            ("http:/ada:s3cret@host/x", "http:host/x"),
            ("http:ada:s3cret@host/x", "http:host/x"),
            ("ada:s3cret@host/x", "host/x"),
            ("TOKEN@host/x", "host/x"),
            ("http://ada:s3cret@\u{301}host/x", "http://\u{301}host/x"),
            ("http:/ada:s3cret@\u{301}host/x", "http:\u{301}host/x"),
            ("https://http:/ada:s3cret@host/x", "https://host/x"), ("http://http:/x", "http://http:/x"),
            ("mailto:ada@host", "mailto:ada@host"),
            ("blob:http://ada:s3cret@host/x", "host/x"),
            ("users/@me", "users/@me"),
            ("file:///home/a@b/c", "file:///home/a@b/c"),
            ("data:text/plain,a@b", "data:text/plain,a@b"),
            ("", ""), ("@", ""), ("://@", ""), ("http://", "http://"),
        ]
    )
    func userInfo(_ text: String, _ expected: String) {
        #expect(PresentableText.withoutUserInfo(text) == expected)
    }

    @Test(
        "Parameters of query and fragment with the name of a secret are replaced with a placeholder",
        arguments: [
            ("http://h/?access_token=x&a=b", "http://h/?access_token=<redacted>&a=b"),
            ("http://h/?a=b&API_KEY=x;sig=y#c", "http://h/?a=b&API_KEY=<redacted>#c"),
            ("http://h/?a=b;sig=y;z&c=d", "http://h/?a=b;sig=<redacted>&c=d"),
            ("http://h/#/path?token=x", "http://h/#/path?token=<redacted>"),
            ("http://h/#id_token=x&state=y", "http://h/#id_token=<redacted>&state=y"),
            ("http://h/?X-Amz-Signature=x&X-Amz-Date=y", "http://h/?X-Amz-Signature=<redacted>&X-Amz-Date=y"),
            ("http://h/?user%5Bpass%77ord%5D=x", "http://h/?user%5Bpass%77ord%5D=<redacted>"),
            ("http://h/?password=a=b?c", "http://h/?password=<redacted>"),
            ("http://h/?token", "http://h/?token"), ("http://h/?token=", "http://h/?token="),
            ("http://h/token=x", "http://h/token=x"), ("http://h/?&&=?#", "http://h/?&&=?#"),
            ("http://h/?monkey=x&keyboard=y&design=z", "http://h/?monkey=x&keyboard=y&design=z"),
        ]
    )
    func parameters(_ text: String, _ expected: String) {
        #expect(PresentableText.withoutSecretParameters(text) == expected)
    }

    @Test(
        "User information is removed from libcurl's messages",
        arguments: [
            ("Unsupported proxy syntax in 'ada:s3cret@host:x'", "Unsupported proxy syntax in 'host:x'"),
            ("Unsupported proxy 'http://ada:s3 cret@host'", "Unsupported proxy 'http://host'"),
            ("Could not resolve proxy: ada:s3cret@host", "Could not resolve proxy: host"),
            ("bad http://ada:s3cret@host/", "bad http://host/"),
            ("bad 'ada:s3cret@\u{301}host'", "bad '\u{301}host'"),
            ("Could not resolve host: name.invalid", "Could not resolve host: name.invalid"),
            ("", ""), ("@", ""),
        ]
    )
    func messages(_ text: String, _ expected: String) {
        #expect(PresentableText.withoutUserInfo(inMessage: text) == expected)
    }

    @Test(
        "An argument that is not understood is shown without its secrets",
        arguments: [
            ("http://ada:s3cret@h/?token=x&a=b", "http://h/?token=<redacted>&a=b"), ("token=x", "token=<redacted>"),
            ("a=b&password=x#c", "a=b&password=<redacted>#c"), ("ada:s3cret@h", "h"),
            ("Authorization: Basic x", "Authorization:<redacted>"), ("X-Api-Key:x", "X-Api-Key:<redacted>"),
            ("--header=Cookie: a=b", "--header=Cookie:<redacted>"), ("token:=[1]", "token:<redacted>"),
            ("key:", "key:"), ("a:b", "a:b"), ("http://h:80/x", "http://h:80/x"), ("name", "name"), ("", ""),
        ]
    )
    func arguments(_ text: String, _ expected: String) {
        #expect(PresentableText.argument(text) == expected)
    }

    @Test(
        "A path is shown as it is, and a URL in its place without its secrets",
        arguments: [
            ("/tmp/ada@host", "/tmp/ada@host"), ("ada@host.txt", "ada@host.txt"), ("a?token=b", "a?token=b"),
            ("http://ada:s3cret@h/?token=x", "http://h/?token=<redacted>"), ("", ""),
        ]
    )
    func paths(_ text: String, _ expected: String) {
        #expect(PresentableText.path(text) == expected)
    }

    @Test(
        "The URLs in a sentence have no secrets",
        arguments: [
            ("Could not load http://ada:s3cret@h/?sig=x now", "Could not load http://h/?sig=<redacted> now"),
            ("at 'https://h/#token=x'\n  \"http://ada@h\"", "at 'https://h/#token=<redacted>'\n  \"http://h\""),
            ("token: a = b / c", "token: a = b / c"), ("", ""),
        ]
    )
    func sentences(_ text: String, _ expected: String) {
        #expect(PresentableText.message(text) == expected)
    }

    @Test(
        "Fields and bodies have no secrets",
        arguments: [
            ("Authorization", "Basic x", "<redacted>"), ("set-cookie", "a=b", "<redacted>"),
            ("Location", "http://ada:s3cret@h/?token=x", "http://h/?token=<redacted>"),
            ("Origin", "http://ada@h", "http://h"),
            ("Link", "<http://h/?sig=x>; rel=next", "<http://h/?sig=<redacted>>; rel=next"),
            ("Accept", "a/b", "a/b"),
        ]
    )
    func fields(_ name: String, _ value: String, _ expected: String) {
        #expect(PresentableText.field(name, value) == expected)
    }

    @Test(
        "Forms and JSON have no secrets, and bodies of several parts are not shown",
        arguments: [
            ("application/x-www-form-urlencoded; charset=utf-8", "a=b&password=x", "a=b&password=<redacted>"),
            ("Application/JSON", #"{"token":"x"}"#, #"{"token":"<redacted>"}"#),
            ("application/problem+json", #"{"token":1}"#, #"{"token":0}"#),
            ("text/plain", " [{\"key\":1}]", " [{\"key\":0}]"), ("text/plain", "password=x", "password=x"),
            ("application/x-www-form-urlencoded", "\n{\"token\":\"x\"}", "\n{\"token\":\"<redacted>\"}"),
            ("application/x-www-form-urlencoded", "[a]=b&password=x", "[a]=b&password=<redacted>"),
            ("text/event-stream", "data: {\"token\":\"x\"}\n\n", "data: {\"token\":\"<redacted>\"}\n\n"),
            ("text/javascript", "f({\"token\":\"x\"})", "f({\"token\":\"<redacted>\"})"),
            ("application/javascript; charset=utf-8", "f([{\"token\":1}])", "f([{\"token\":0}])"),
            ("application/json", ")]}',\n{\"token\":\"x\"}", ")]}',\n{\"token\":\"<redacted>\"}"),
            (nil, "a=b&password=x", "a=b&password=<redacted>"), ("multipart/mixed", "x", nil), ("", "", ""),
        ] as [(String?, String, String?)]
    )
    func bodies(_ type: String?, _ body: String, _ expected: String?) {
        #expect(PresentableText.body(body, type: type) == expected)
    }

    @Test("The URL of an error has no secrets") func errors() throws {
        let url = try #require(URL(string: "http://ada:s3cret@h/x?access_token=y&a=b#id_token=z"))
        #expect(
            url.withoutSecrets.absoluteString == "http://h/x?access_token=%3Credacted%3E&a=b#id_token=%3Credacted%3E"
        )
        let plain = try #require(URL(string: "http://h/x?a=b#c"))
        #expect(plain.withoutSecrets == plain)
    }

    @Test(
        "Names of secrets are found in every spelling, and other names are not changed",
        arguments: [
            ("Authorization", true), ("proxy-authorization", true), ("Cookie", true), ("X-Api-Key", true),
            ("x_api_key", true), ("apiKey", true), ("X-CSRF-Token", true), ("X-Amz-Security-Token", true),
            ("client_secret", true), ("PASSWORD", true), ("sig", true), ("key", true),
            ("Ocp-Apim-Subscription-Key", true),
            ("Accept", false), ("Sec-WebSocket-Key", false), ("Content-Type", false), ("design", false), ("", false),
            ("token_type", false), ("monkey", false), ("author", false), ("X-Request-Id", false),
        ]
    )
    func names(_ name: String, _ isSecret: Bool) {
        #expect(SecretName.isSecret(name) == isSecret)
    }
}
