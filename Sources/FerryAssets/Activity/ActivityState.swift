/// The state of an activity indicator.
enum ActivityState: Sendable, Hashable, CaseIterable {
    case notActive
    /// Requests are running, but perhaps not for long.
    case delayingStart
    case active
    /// No requests are running, but perhaps one will start soon.
    case delayingEnd

    /// An event that may change the state.
    enum Event: Sendable, Hashable {
        case becameBusy
        case becameIdle
        /// The delay of the state has passed, and requests are running or not.
        case delayPassed(isBusy: Bool)
        case disabled
    }

    var isVisible: Bool { self == .active || self == .delayingEnd }

    /// Returns the state after an event.
    ///
    /// Each time a state with a delay is entered, the whole delay begins again. Pauses between requests do not end the
    /// first delay, so that a series of short requests is shown.
    func after(_ event: Event) -> ActivityState {
        switch (self, event) {
        case (_, .disabled): .notActive
        case (.notActive, .becameBusy): .delayingStart
        case (.delayingStart, .delayPassed(let isBusy)): isBusy ? .active : .notActive
        case (.active, .becameIdle): .delayingEnd
        case (.delayingEnd, .becameBusy): .active
        case (.delayingEnd, .delayPassed): .notActive
        default: self
        }
    }
}
