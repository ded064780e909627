import Dispatch

/// A queue for the work of one file, which may block a thread until a disk responds.
struct FileQueue: Sendable {
    // With a target, the queues of many files share a few threads; without one, each would have its own.
    private let queue = DispatchQueue(label: "ferry.file", target: .global())
    /// Converts the error of a file to the one that is thrown.
    let convert: @Sendable (FileError) -> any Error

    /// Runs work after that of earlier calls, and returns its value.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        do {
            return try await queue.run(work)
        } catch let error as FileError {
            throw convert(error)
        }
    }

    /// Runs work after that of earlier calls, and does not wait for it.
    func add(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
