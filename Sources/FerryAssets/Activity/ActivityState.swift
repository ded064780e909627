/// The state of an activity indicator.
enum ActivityState: Sendable, Hashable, CaseIterable {
    case notActive
    /// Requests are running, but perhaps not for long.
    case delayingStart
    case active
    /// No requests are running, but perhaps one will start soon.
    case delayingEnd

    /// An event that may change the state.
    enum Event: Sendable, Hashable, CaseIterable {
        case becameBusy
        case becameIdle
        case delayPassed
        case disabled
    }

    /// Whether the indicator is visible.
    var isVisible: Bool { self == .active || self == .delayingEnd }

    /// Returns the state after an event.
    ///
    /// Each time a state with a delay is entered, the whole delay begins again.
    func after(_ event: Event) -> ActivityState {
        switch (self, event) {
        case (_, .disabled): .notActive
        case (.notActive, .becameBusy): .delayingStart
        case (.delayingStart, .becameIdle): .notActive
        case (.delayingStart, .delayPassed): .active
        case (.active, .becameIdle): .delayingEnd
        case (.delayingEnd, .becameBusy): .active
        case (.delayingEnd, .delayPassed): .notActive
        default: self
        }
    }
}
