import Testing

@testable import FerryCommand

@Suite("Header fields that are shown")
struct PresentableFieldTests {
    @Test(
        "Secrets of header fields and of the URLs in them are not shown",
        arguments: [
            ("Authorization", "Basic YTpi", "…"), ("Set-Cookie", "a=b", "…"),
            ("ETag", "\"a@b?token=c\"", "\"a@b?token=c\""), ("Server", "x", "x"),
            ("Location", "https://ada:pw@a/b?access_token=s&c=d", "https://a/b?access_token=<redacted>&c=d"),
            ("Content-Location", "/b?token=s", "/b?token=<redacted>"), ("Referer", "http://ada@a/", "http://a/"),
            ("location", "//ada:pw@a/", "a/"),
            (
                "Link", "<https://ada:pw@a/?page=2&token=s>; rel=\"next\"",
                "<https://a/?page=2&token=<redacted>>; rel=\"next\""
            ),
            (
                "link", "</?token=s,t;u>;rel=prev, <http://ada:pw@b/>; rel=next,</c>",
                "</?token=<redacted>>;rel=prev, <http://b/>; rel=next,</c>"
            ),
            (
                "Link", "</>; anchor=\"https://ada:pw@a/?token=s\"; title=\"me@b, you\"",
                "</>; anchor=\"https://a/?token=<redacted>\"; title=\"me@b, you\""
            ),
            (
                "Link", "</>; anchor=https://ada:pw@a/?token=s&b=c; rel=x",
                "</>; anchor=https://a/?token=<redacted>&b=c; rel=x"
            ),
            ("Link", "<https://ada:pw@a/?token=s", "<https://a/?token=<redacted>"),
            ("Link", "https://ada:pw@a/?token=s", "https://a/?token=<redacted>"),
            ("Link", "</>; anchor=\"//ada:pw@a/", "</>; anchor=\"a/"), ("Link", "", ""), ("Link", ";,=<>", ";,=<>"),
            ("Refresh", "5; url=https://ada:pw@a/?token=s", "5; url=https://a/?token=<redacted>"),
            ("refresh", "0;URL='https://ada:pw@a/?token=s'", "0;URL='https://a/?token=<redacted>'"),
            ("Refresh", "1.5 , url = \"/?token=s\" ", "1.5 , url = \"/?token=<redacted>\" "),
            ("Refresh", "5; https://ada:pw@a/", "5; https://a/"), ("Refresh", "5", "5"), ("Refresh", "", ""),
            ("Refresh", "/?token=s", "/?token=<redacted>"),
        ]
    )
    func values(_ name: String, _ value: String, _ shown: String) {
        #expect(VerboseText.value(name, value) == shown)
    }

    @Test(
        "A combining mark after a delimiter does not show a secret",
        arguments: [
            ("Link", "<\u{301}https://ada:pw@a/?token=pw>"), ("Link", "<https://ada:pw@a/?token=pw>\u{301}"),
            ("Link", "</>; anchor=\"\u{301}https://ada:pw@a/\""), ("Link", "</>;\u{301}anchor=https://ada:pw@a/"),
            ("Refresh", "5;\u{301} url=https://ada:pw@a/"), ("Refresh", "5; url='\u{301}https://ada:pw@a/'"),
            ("Refresh", "5; url=\u{301}https://ada:pw@a/"),
        ]
    )
    func combiningMarks(_ name: String, _ value: String) {
        let shown = VerboseText.value(name, value)
        #expect(!shown.contains("pw"), "\(shown)")
    }
}
