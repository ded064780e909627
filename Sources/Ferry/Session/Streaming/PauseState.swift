/// Whether a transfer is to be paused, and whether it is.
struct PauseState: Sendable {
    /// Whether it is to be paused.
    var wanted = false

    private var isPaused = false
    private var isChanging = false

    /// Begins a change if one is due and nobody else is at it; true pauses, false goes on.
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
