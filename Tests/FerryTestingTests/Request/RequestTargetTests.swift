import FerryTesting
import Foundation
import Testing

struct RequestTargetTests {
    @Test(
        "A target has a decoded path and query items",
        arguments: [
            ("/", "/", [:]),
            ("/a%20b/c?x=1&y=%26&z", "/a b/c", ["x": "1", "y": "&", "z": ""]),
            ("/a?q=a+b&q=c", "/a", ["q": "c"]),
            ("/bad%zz?x=%zz", "/bad%zz", ["x": "%zz"]),
            ("http://host:80/p?x=1", "/p", ["x": "1"]),
            ("http://host", "/", [:]),
            ("http://host?x=1", "/", ["x": "1"]),
            ("/go?url=http://host/p", "/go", ["url": "http://host/p"]),
            ("*", "*", [:]),
        ] as [(String, String, [String: String])]
    ) func parts(target: String, path: String, query: [String: String]) {
        let request = LoopbackRequest(target: target)
        #expect(request.path == path)
        #expect(request.query == query)
    }

    @Test("Query items keep order, duplicates and missing values") func items() {
        let items = LoopbackRequest(target: "/?b=1&a=2&b=3&c&d=").queryItems
        #expect(items.map(\.name) == ["b", "a", "b", "c", "d"])
        #expect(items.map(\.value) == ["1", "2", "3", nil, ""])
    }
}
