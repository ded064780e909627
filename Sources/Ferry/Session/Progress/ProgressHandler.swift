import Foundation

/// A closure that receives the progress of one direction of a transfer.
///
/// It runs on the manager's ``SessionManager/progressQueue``, or on its ``SessionManager/operationQueue`` if there is
/// none. Calls never overlap, arrive in order and are coalesced: at most one is pending, and the last state is always
/// delivered before the completion handler runs.
public typealias ProgressHandler = @Sendable (ProgressUpdate) -> Void
