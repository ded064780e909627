/// Whether a transfer should be paused, and whether it is.
struct PauseState: Sendable {
    /// Whether the transfer should be paused.
    var wanted = false

    private var isPaused = false
    private var isChanging = false

    /// Begins a change if one is due and none is under way; returns true to pause and false to resume.
    mutating func begin() -> Bool? {
        guard !isChanging, wanted != isPaused else { return nil }
        isChanging = true
        isPaused = wanted
        return wanted
    }

    /// Ends a change.
    mutating func end() {
        isChanging = false
    }
}
