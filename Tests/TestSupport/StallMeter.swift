import Foundation

/// Measures how late threads and Swift tasks of this process run, so that tests can bound a time on a busy machine.
///
/// A thread and a task sleep for ten milliseconds over and over again. If a sleep takes longer, the processors were
/// busy, the process did not run, or the threads of Swift Concurrency were occupied; what a test measures meanwhile
/// is delayed as well.
package final class StallMeter: Sendable {
    /// The sleeps of the thread or the task.
    private struct Sleeps {
        static let length = Duration.milliseconds(10)

        private var start = ContinuousClock.now
        private var worst = Duration.zero
        private var isStopped = false

        /// The longest time by which a sleep was too long, including the current one.
        var worstSoFar: Duration { isStopped ? worst : max(worst, start.duration(to: .now) - Self.length) }

        /// Records the current sleep, and returns whether another one follows.
        mutating func wake() -> Bool {
            worst = worstSoFar
            start = .now
            return !isStopped
        }

        mutating func stop() {
            worst = worstSoFar
            isStopped = true
        }
    }

    private let ofThread = Watched(Sleeps())
    private let ofTask = Watched(Sleeps())

    /// Starts measuring, until the meter is stopped or released.
    package init() {
        let (ofThread, ofTask) = (ofThread, ofTask)
        Thread.detachNewThread {
            while ofThread.change({ $0.wake() }) { Thread.sleep(forTimeInterval: Sleeps.length / .seconds(1)) }
        }
        Task.detached {
            while ofTask.change({ $0.wake() }) { try? await Task.sleep(for: Sleeps.length) }
        }
    }

    deinit {
        stop()
    }

    /// The longest time by which the thread or the task was late since the start, in seconds.
    package var worst: Double { max(ofThread.current.worstSoFar, ofTask.current.worstSoFar) / .seconds(1) }

    /// Returns an upper bound for a time that was measured since the start: a number of seconds times ``patience``, and
    /// twice the ``worst`` delay, since the test and the code that it tests may both have been late.
    package func bound(_ seconds: Double) -> Double { seconds * patience + 2 * worst }

    /// Ends the measurement, after which ``worst`` stays the same.
    package func stop() {
        ofThread.change { $0.stop() }
        ofTask.change { $0.stop() }
    }
}
