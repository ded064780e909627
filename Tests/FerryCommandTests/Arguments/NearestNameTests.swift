import Testing

@testable import FerryCommand

@Suite("Nearest name")
struct NearestNameTests {
    @Test(
        "Distances count insertions, deletions, replacements and swaps",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1),
            ("kitten", "sitting", 3), ("output", "outptu", 1),
        ]
    )
    func distances(_ left: String, _ right: String, _ distance: Int) {
        #expect(NearestName.distance(left, right) == distance)
    }

    @Test(
        "A name is found if it is near enough",
        arguments: [
            ("timout", "timeout"), ("cont", "continue"), ("redirect", nil), ("x", nil), ("", nil),
            (String(repeating: "timeout", count: 5), nil), ("parralel", "parallel"),
        ]
    )
    func finds(_ name: String, _ nearest: String?) {
        #expect(NearestName.find(name, among: ["timeout", "continue", "parallel", "silent"]) == nearest)
    }
}
