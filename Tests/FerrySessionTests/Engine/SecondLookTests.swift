import Testing

@testable import FerrySession

struct SecondLookTests {
    private static let (old, new) = (0x07_58_01, 0x08_04_00)

    @Test(
        "A turn is looked at again where libcurl loses timers, unless it was the second look and found nothing",
        arguments: [
            (old, true, true, true), (old, true, false, true), (old, false, true, true), (old, false, false, false),
            (new - 1, true, true, true), (new, true, true, false), (new, false, true, false),
            (0x08_13_00, true, false, false),
        ]
    )
    func isDue(_ version: Int, _ hadCause: Bool, _ didWork: Bool, _ isDue: Bool) {
        var look = SecondLook(versionNumber: version)
        #expect(!look.isDue)
        look.note(SecondLook.Turn(hadCause: hadCause, didWork: didWork))
        #expect(look.isDue == isDue)
    }

    @Test("It comes a millisecond later, or earlier where there is something else to do")
    func wait() {
        var look = SecondLook(versionNumber: Self.old)
        #expect(look.wait(60_000) == 60_000)
        look.note(SecondLook.Turn())
        #expect(look.wait(60_000) == 1)
        #expect(look.wait(1) == 1)
        #expect(look.wait(0) == 0)
        look.note(SecondLook.Turn(hadCause: false, didWork: false))
        #expect(look.wait(60_000) == 60_000)
    }
}
