/// When the engine takes an additional turn, because libcurl may have forgotten something: a value without side
/// effects.
///
/// What is forgotten would wait until something else happens, a minute or longer:
/// - libcurl before 8.4 may lose a timer that ends within a millisecond of a turn's beginning: it treats it as one that
///   the turn has served (curl #11937). The timer may be for a response in its buffers, or for a body that need not
///   wait any longer for `100 Continue`.
/// - libcurl from 8.4 to 8.14 may leave bytes of an HTTP/2 connection in the TLS library when a stream has read as much
///   as it may at once. It expects that stream to continue; if the stream is paused or cancelled, no other one does.
///
/// A turn examines every transfer, with or without a timer, so each turn in which something has happened is followed by
/// another one a millisecond later.
package struct AdditionalTurns {
    /// The first libcurl of which nothing of this is known.
    private static let firstFixedVersion = 0x08_0F_00
    /// How long after a turn the additional one begins, in milliseconds.
    package static let delay: Int32 = 1
    static let delaySpan = TimeSpan.milliseconds(UInt64(delay))

    private let areNeeded: Bool
    package private(set) var isDue = false
    /// Whether something has happened since the last turn.
    ///
    /// A socket, a command or a timer has ended the wait before the turn (and not the delay of an additional turn), or
    /// libcurl has called back or ended a transfer.
    package var isEventful = true

    package init(versionNumber: Int) { areNeeded = versionNumber < Self.firstFixedVersion }

    /// Records that a turn is over.
    package mutating func noteEnd() {
        isDue = areNeeded && isEventful
        isEventful = true
    }

    /// Returns how long the engine may wait, where `milliseconds` would be right for everything else.
    package func wait(_ milliseconds: Int32) -> Int32 { isDue ? min(milliseconds, Self.delay) : milliseconds }
}
