/// When the engine goes through its transfers once more, though nothing has happened to them: a rule without side effects.
///
/// libcurl before 8.4 may lose a timer that ends within a millisecond of a turn's beginning: it takes it for one that the
/// turn has served (curl #11937). A response that is in its buffers already, or a body that was to go without waiting any
/// longer for `100 Continue`, would be left there until something else happens. A turn of libcurl's looks at every
/// transfer, timer or not: so after each that did something there is one more, a millisecond later.
struct SecondLook {
    /// The first libcurl that loses no timer.
    private static let firstWithout = 0x08_04_00

    /// How long after a turn the second look is, in milliseconds.
    static let delay: Int32 = 1
    static let delayInNanoseconds = UInt64(delay) * 1_000_000

    private let isWanted: Bool
    private(set) var isDue = false

    init(versionNumber: Int) {
        isWanted = versionNumber < Self.firstWithout
    }

    /// Takes note of a turn that is over.
    ///
    /// It was eventful where a socket, a command or a timer had ended the wait before it (not the millisecond of a second
    /// look), or libcurl has called a transfer back or ended one.
    mutating func note(isEventful: Bool) {
        isDue = isWanted && isEventful
    }

    /// How long may be waited where `milliseconds` would be long enough for everything else.
    func wait(_ milliseconds: Int32) -> Int32 {
        isDue ? min(milliseconds, Self.delay) : milliseconds
    }
}
