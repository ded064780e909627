import Testing

@testable import FerrySession

struct AdditionalTurnsTests {
    private static let (old, new) = (0x07_58_01, 0x08_0F_00)

    @Test(
        "A turn is repeated with versions of libcurl that may forget something, unless nothing has happened in it",
        arguments: [
            (old, true, true), (old, false, false), (new - 1, true, true), (new - 1, false, false), (new, true, false),
            (new, false, false), (0x08_05_00, true, true), (0x08_0E_01, true, true), (0x08_15_00, true, false),
        ]
    )
    func isDue(_ version: Int, _ isEventful: Bool, _ isDue: Bool) {
        var look = AdditionalTurns(versionNumber: version)
        #expect(!look.isDue)
        look.isEventful = isEventful
        look.noteEnd()
        #expect(look.isDue == isDue)
        #expect(look.isEventful)
    }

    @Test("The repetition is due after a millisecond, or earlier if something else is due")
    func wait() {
        var look = AdditionalTurns(versionNumber: Self.old)
        #expect(look.wait(60_000) == 60_000)
        look.isEventful = true
        look.noteEnd()
        #expect(look.wait(60_000) == 1)
        #expect(look.wait(1) == 1)
        #expect(look.wait(0) == 0)
        look.isEventful = false
        look.noteEnd()
        #expect(look.wait(60_000) == 60_000)
    }
}
