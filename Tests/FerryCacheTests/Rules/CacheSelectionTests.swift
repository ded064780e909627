import FerryCache
import Testing

@Suite struct CacheSelectionTests {
    struct Row: Sendable {
        var name = "accept"
        var first: [String]
        var second: [String]
        var isSame: Bool
    }

    /// RFC 9111, section 4.1.
    @Test(
        "Equivalent values select the same response",
        arguments: [
            Row(first: ["1, 2"], second: ["1", "2"], isSame: true),
            Row(first: ["1,2"], second: [" 1 ,\t2 "], isSame: true),
            Row(first: ["1,,2,"], second: ["1, 2"], isSame: true),
            Row(first: ["1, 2"], second: ["2, 1"], isSame: false),
            Row(first: ["1, 2"], second: ["12"], isSame: false),
            Row(first: ["1 2"], second: ["1, 2"], isSame: false),
            Row(first: ["1 2"], second: ["1  2"], isSame: false),
            Row(first: ["a"], second: ["A"], isSame: false),
            Row(first: ["a:b"], second: ["a", "b"], isSame: false),
            // Commas in quoted strings and comments are not separators.
            Row(first: ["\"a, b\""], second: ["\"a,b\""], isSame: false),
            Row(first: ["\"a\\\", b\", c"], second: ["\"a\\\", b\",c"], isSame: true),
            Row(first: ["x (a, b), c"], second: ["x (a, b),c"], isSame: true),
            Row(first: ["x (a, b)"], second: ["x (a,b)"], isSame: false),
            Row(first: ["x (a ,b)"], second: ["x (a,b)"], isSame: false),
            Row(first: ["x), c"], second: ["x),c"], isSame: true),
            Row(first: ["x (a (b) , c)"], second: ["x (a (b),c)"], isSame: false),
            Row(first: ["x (a \\) , b)"], second: ["x (a \\),b)"], isSame: false),
            Row(name: "user-agent", first: ["a, b"], second: ["a,b"], isSame: false),
            // Whether a field with an unknown syntax is a list is unknown too.
            Row(name: "foo", first: ["Doe, John"], second: ["Doe,John"], isSame: false),
            Row(name: "foo", first: ["1, 2"], second: ["1", "2"], isSame: true),
            Row(name: "cookie", first: ["a=1, 2"], second: ["a=1,2"], isSame: false),
            // Sections 12.5.2 to 12.5.4 of RFC 9110.
            Row(name: "accept-language", first: ["en, de"], second: [" eN ,   De"], isSame: true),
            Row(name: "accept-language", first: ["en;q=0.5, de"], second: ["en ; q=0.5,de"], isSame: true),
            Row(name: "accept-language", first: ["en, de"], second: ["de, en"], isSame: false),
            Row(name: "accept-language", first: ["\"a b\""], second: ["\"ab\""], isSame: false),
            Row(name: "accept-language", first: ["(a b)"], second: ["(ab)"], isSame: false),
            Row(name: "accept-encoding", first: ["gzip, BR"], second: ["GZip,br"], isSame: true),
            Row(name: "accept", first: ["text/HTML"], second: ["text/html"], isSame: false),
            Row(name: "accept", first: ["text/html, */*"], second: ["text/html,*/*"], isSame: true),
        ]
    )
    func comparison(_ row: Row) {
        let forms = [row.first, row.second].map { CacheKey.normalized($0, of: row.name) }
        #expect((forms[0] == forms[1]) == row.isSame, "\(forms)")
        let variants = [row.first, row.second].map { values in
            CacheKey.variant([row.name], lines: values.map { "\(row.name): \($0)" })
        }
        // The cache compares digests of this form.
        #expect((variants[0] == variants[1]) == row.isSame, "\(variants)")
    }

    @Test("A missing field differs from an empty one") func missing() {
        #expect(CacheKey.variant(["foo"], lines: ["Foo;"]) != CacheKey.variant(["foo"], lines: []))
    }
}
