/// When the engine takes an additional turn, because libcurl may have lost a timer: a value without side effects.
///
/// libcurl before 8.4 may lose a timer that ends within a millisecond of a turn's beginning: it treats it as one that the
/// turn has served (curl #11937). A response in its buffers, or a body that need not wait any longer for `100 Continue`,
/// would stay there until something else happens. A turn examines every transfer, with or without a timer, so each turn
/// in which something has happened is followed by another one a millisecond later.
struct LostTimerWorkaround {
    /// The first libcurl that loses no timers.
    private static let firstFixedVersion = 0x08_04_00

    /// How long after a turn the additional one begins, in milliseconds.
    static let delay: Int32 = 1
    static let delayInNanoseconds = UInt64(delay) * 1_000_000

    private let isNeeded: Bool
    private(set) var isDue = false

    init(versionNumber: Int) {
        isNeeded = versionNumber < Self.firstFixedVersion
    }

    /// Records a turn that is over.
    ///
    /// Something has happened in it if a socket, a command or a timer ended the wait before it (and not the delay of an
    /// additional turn), or if libcurl has called back or ended a transfer.
    mutating func note(isEventful: Bool) {
        isDue = isNeeded && isEventful
    }

    /// Returns how long the engine may wait, where `milliseconds` would be right for everything else.
    func wait(_ milliseconds: Int32) -> Int32 {
        isDue ? min(milliseconds, Self.delay) : milliseconds
    }
}
