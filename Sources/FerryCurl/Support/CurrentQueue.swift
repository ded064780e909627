internal import CFerry

/// The dispatch queue that runs the caller.
package enum CurrentQueue {
    package static func hasLabel(_ label: String) -> Bool { strcmp(ferry_current_queue_label(), label) == 0 }
}
