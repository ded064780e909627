import Dispatch
import Foundation
import Synchronization

/// The child processes of this process, none of which outlives it.
enum Children {
    private static let pids = Mutex<Set<pid_t>>([])

    static func add(_ pid: pid_t) {
        pids.withLock { _ = $0.insert(pid) }
    }

    static func remove(_ pid: pid_t) {
        pids.withLock { _ = $0.remove(pid) }
    }

    static func killAll() {
        for pid in pids.withLock({ $0 }) { kill(pid, SIGTERM) }
    }

    /// Ends the children and removes the folder on SIGINT, SIGTERM and SIGHUP.
    static func endOnSignals(removing folder: WorkFolder) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler keeps its source alive.
            source.setEventHandler {
                withExtendedLifetime(source) {
                    killAll()
                    folder.remove()
                    exit(128 + number)
                }
            }
            source.resume()
        }
    }
}
