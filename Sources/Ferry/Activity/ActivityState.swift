/// Where an activity indicator stands, and what comes next.
enum ActivityState: Sendable, Hashable, CaseIterable {
    case notActive
    /// Something runs, but perhaps not for long.
    case delayingStart
    case active
    /// Nothing runs, but perhaps something will at once.
    case delayingEnd

    /// What can happen.
    enum Event: Sendable, Hashable, CaseIterable {
        case becameBusy
        case becameIdle
        case delayPassed
        case disabled
    }

    /// Whether the indicator shows.
    var isVisible: Bool { self == .active || self == .delayingEnd }

    /// The state after an event; a state that is entered with a delay waits for it anew.
    func after(_ event: Event) -> ActivityState {
        switch (self, event) {
        case (_, .disabled): .notActive
        case (.notActive, .becameBusy): .delayingStart
        case (.delayingStart, .becameIdle): .notActive
        case (.delayingStart, .delayPassed): .active
        case (.active, .becameIdle): .delayingEnd
        case (.delayingEnd, .becameBusy): .active
        case (.delayingEnd, .delayPassed): .notActive
        case (.notActive, .becameIdle), (.notActive, .delayPassed), (.delayingStart, .becameBusy),
            (.active, .becameBusy), (.active, .delayPassed), (.delayingEnd, .becameIdle):
            self
        }
    }
}
