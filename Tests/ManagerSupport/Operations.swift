import FerryOperations
import Foundation
import TestSupport
import Testing

/// Returns a manager for operations that posts its notifications to a separate center.
package func makeOperationManager(
    _ configuration: URLSessionConfiguration = .ephemeral,
    transport: SessionTransport = .curl
) -> SessionManager {
    let manager = SessionManager(configuration: configuration, transport: transport)
    manager.notificationCenter = NotificationCenter()
    manager.notificationQueue = DispatchQueue(label: "notifications")
    return manager
}

extension OperationQueue {
    /// Adds operations without waiting.
    ///
    /// Foundation's method cannot be called from asynchronous functions, as it may block.
    package func add(_ operations: [Operation]) {
        addOperations(operations, waitUntilFinished: false)
    }
}

extension RequestOperation {
    /// Waits until the operation has finished and its completions have run.
    package func settled() async throws {
        let isThrough = Watched(false)
        let note: @Sendable (RequestOperation) -> Void = { _ in isThrough.change { $0 = true } }
        guard record.withLock({ $0.addObserver(note) }) else { return #expect(isFinished) }
        try await isThrough.wait { $0 }
    }
}
