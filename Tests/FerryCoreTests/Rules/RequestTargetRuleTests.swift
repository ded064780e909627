import FerryCore
import Testing

@Suite struct RequestTargetRuleTests {
    @Test(
        "A target that libcurl might change is found",
        arguments: [
            ("http://h/?", "/?"), ("http://h?", "/?"), ("http://h:80/a?#f", "/a?"), ("http://u:p@h/a%2fb", "/a%2fb"),
            ("https://[::1]:8/a%E9%2fb?x=%C3%bc", "/a%E9%2fb?x=%C3%bc"), ("http://h?a=%0d", "/?a=%0d"),
            ("http://h/%2f#%2f", "/%2f"), ("http://h/a/?", "/a/?"),
        ]
    )
    func changed(_ url: String, _ target: String) {
        #expect(RequestTargetRule.literalTarget(of: url) == target)
    }

    @Test(
        "Other targets are left to libcurl",
        arguments: [
            "http://h", "http://h/", "http://h/a?b", "http://h/%2F", "http://h/%2Fa?b=%C3%BCb", "http://h/a#?",
            "http://h/a#%2f", "http://h/a?b?c", "http://h/a%", "http://h/a%2", "", "?", "h?", "%2f",
            "http://h/%2f a", "http://h/%2f\r\nX: y", "http://h/%2f\u{7f}", "http://h/%2fü", "http://h/\u{0}?",
        ]
    )
    func unchanged(_ url: String) {
        #expect(RequestTargetRule.literalTarget(of: url) == nil)
    }

    @Test(
        "A target is the path and the query without the fragment, as they are written",
        arguments: [
            ("http://h", nil), ("http://h:80#f/g?", nil), ("http://h/", "/"), ("http://h?a/b", "/?a/b"),
            ("http://u:p@[::1]:8/a/../b//%2f?c=%20&&#d", "/a/../b//%2f?c=%20&&"), ("http://h/a:b?", "/a:b?"),
        ] as [(String, String?)]
    )
    func written(_ url: String, _ target: String?) {
        #expect(RequestTargetRule.target(of: url) == target)
    }
}
