import FerryAPI
import Foundation
import Testing

@Suite("Link fields take linear time", .ownThreads, .timeLimit(.minutes(10)))
struct LinkLinearTimeTests {
    private static let base = URL(string: "http://a.test/")

    private static let parts = HostileText.parts + HostileText.documentParts

    @Test("Any text takes linear time", arguments: parts)
    func texts(_ part: String) throws {
        let (isLinear, times) = try LinearCase("Link fields of \(part.debugDescription)") { size in
            let text = String(filling: size, with: part)
            let values = [
                text, "<\(text)", "<a>; \(text)", "<a>; rel=\(text)", "<a>; rel=\"\(text)\"", "<a>; \(text)=1",
            ]
            for value in values {
                for link in Link.links(in: [value], relativeTo: Self.base) { _ = Set([link, link]) }
            }
        }.isLinear(size: 10_000)
        #expect(isLinear, "\(times)")
    }

    @Test("A field with many links, and a link with many parameters, take linear time")
    func many() throws {
        let (isLinear, times) = try LinearCase("Links of a field") { size in
            for part in ["<a>; rel=next,", "<a>; rel=\"\(String(filling: 4_000, with: "a "))\",", "<a>; a=b; rel=c,"] {
                _ = Link.links(in: [String(filling: size, with: part)], relativeTo: Self.base)
            }
            _ = Link.links(in: ["<a>; rel=a" + String(filling: size, with: "; b=c")], relativeTo: Self.base)
        }.isLinear()
        #expect(isLinear, "\(times)")
    }
}
